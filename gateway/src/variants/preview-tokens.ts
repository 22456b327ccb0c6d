import { readFileSync } from 'node:fs';
import { PREVIEW_TOKEN_TYPE } from '@trellis/registry';
import { failInWords } from '@trellis/runtime/file-failure';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** Longer headers are no tokens. */
const MAX_CHARACTERS = 4_096;
const MAX_REMEMBERED = 1_000;

/** Verifies tokens that open a variant to those who hold them. */
export interface PreviewTokens {
  /** Whether a header's value is a token for a variant. Never rejects. */
  admits(token: string, variant: string): boolean | Promise<boolean>;
}

/** Where there are no keys, no token admits a caller. */
export const NO_PREVIEW_TOKENS: PreviewTokens = Object.freeze({ admits: () => false });

/** What is remembered of a token that was verified. */
interface VerifiedToken {
  readonly variant: string;
  readonly expiresAtMs: number;
}

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });

/**
 * Reads the keys that may sign preview tokens: JWTs with `typ` `trellis-preview+jwt`, the audience `graph@environment`, the claim
 * `variant` with the name of the variant, and `exp`.
 *
 * @param file a JWK set (RFC 7517 §5)
 * @param audience the graph and environment
 * @throws Error where the file can't be read, or has no keys
 */
export function readPreviewTokens(file: string, audience: string): PreviewTokens {
  const parsed = keySet.safeParse(JSON.parse(readKeys(file)));
  if (!parsed.success) throw new Error(`${file} is no JWK set.`);
  return createPreviewTokens({ keys: parsed.data.keys }, audience);
}

function readKeys(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return failInWords(error, file);
  }
}

/** The same, with keys that are in memory. */
export function createPreviewTokens(keys: JSONWebKeySet, audience: string): PreviewTokens {
  const keyOf = createLocalJWKSet(keys);
  const verified = new LRUCache<string, VerifiedToken>({ max: MAX_REMEMBERED });
  const verify = async (token: string): Promise<VerifiedToken | undefined> => {
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        audience,
        typ: PREVIEW_TOKEN_TYPE,
        algorithms: ['Ed25519', 'EdDSA', 'ES256'],
        requiredClaims: ['exp', 'variant'],
      });
      const { variant, exp = 0 } = payload;
      return typeof variant === 'string' ? { variant, expiresAtMs: exp * 1_000 } : undefined;
    } catch {
      return undefined; // it is for another graph, another gateway, or no token at all: its request is one like any other
    }
  };
  return {
    admits(token, variant) {
      const known = verified.get(token);
      if (known) return known.variant === variant && known.expiresAtMs > Date.now();
      if (token.length > MAX_CHARACTERS || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return false;
      return verify(token).then((found) => {
        if (found) verified.set(token, found);
        return found?.variant === variant;
      });
    },
  };
}
