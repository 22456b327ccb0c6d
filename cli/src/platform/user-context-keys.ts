import type { Environment } from '@trellis/runtime';
import type { JWK } from 'jose';
import type { PlatformSecrets } from './secrets.ts';

/** What a public EC key consists of; everything else of a private one stays private. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'] as const;

/**
 * The public half of the key that the gateway signs user contexts with, as a JSON Web Key Set for the subgraphs: of the
 * key in the environment where there is one, else of the platform's own.
 */
export function publicUserContextKeys(secrets: PlatformSecrets, environment: Environment): string {
  const given = environment['GATEWAY_USER_CONTEXT_PRIVATE_KEY'] || environment['USER_CONTEXT_PRIVATE_KEY'];
  const key = (given ? parseKey(given) : undefined) ?? secrets.userContextKey;
  const publicKey = Object.fromEntries(PUBLIC_MEMBERS.map((name) => [name, key[name]]));
  return JSON.stringify({ keys: [publicKey] });
}

/** What is wrong with a key that does not parse, the gateway's own configuration says. */
function parseKey(text: string): JWK | undefined {
  try {
    const key: unknown = JSON.parse(text);
    return typeof key === 'object' && key !== null ? key : undefined;
  } catch {
    return undefined;
  }
}
