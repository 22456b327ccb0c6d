import { createRecordSigner, formatLogName, PREVIEW_TOKEN_TYPE, RegistryError } from '@trellis/registry';
import { importJWK, SignJWT, type JWK } from 'jose';
import { readKeyText } from '../registry/key-text.ts';
import { logOf, type Environment } from '../registry/registry-access.ts';
import type { CommandOutcome } from './command-outcome.ts';

/** The options of `trellis variant token`. */
export interface PreviewTokenOptions {
  readonly name: string;
  readonly graph?: string;
  readonly previewKey?: string;
  readonly hours?: string;
}

const MOST_HOURS = 24 * 90;

/**
 * `trellis variant token`: opens a variant by header to who holds it, until it expires.
 *
 * @throws RegistryError; the key is in no message
 */
export async function previewTokenCommand(
  options: PreviewTokenOptions,
  env: Environment,
): Promise<CommandOutcome> {
  const { name, hours = '8' } = options;
  const audience = formatLogName(logOf(options, env));
  const lifetimeS = 3_600 * hoursOf(hours);
  const given = options.previewKey ?? env['TRELLIS_PREVIEW_KEY'] ?? '';
  if (given === '')
    throw new RegistryError(
      'INVALID_KEY',
      'Say which key signs: --preview-key FILE, or TRELLIS_PREVIEW_KEY. trellis keys new --file FILE makes one.',
    );
  const jwk = await readKeyText(given, '--preview-key or TRELLIS_PREVIEW_KEY');
  const { keyId } = await createRecordSigner(jwk);
  const expiresAt = Math.floor(Date.now() / 1_000) + lifetimeS;
  const token = await new SignJWT({ variant: name })
    .setProtectedHeader({ alg: 'EdDSA', kid: keyId, typ: PREVIEW_TOKEN_TYPE })
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expiresAt)
    .sign(await importJWK(JSON.parse(jwk) as JWK, 'EdDSA')); // the signer has read it
  const expires = new Date(expiresAt * 1_000).toISOString();
  return { exit: 0, lines: [token], isSecret: true, document: { token, variant: name, audience, expires } };
}

function hoursOf(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= MOST_HOURS) return Number(text);
  throw new RegistryError('INVALID_NAME', `--hours takes a number from 1 to ${MOST_HOURS}.`);
}
