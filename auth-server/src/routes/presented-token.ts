import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROOF_ALGORITHMS } from '@trellis/runtime/dpop';
import { OAuthError, type OAuthErrorCode } from '../errors.ts';
import { isRevokedToken, type RevokedTokenFeatures } from '../grants/revoked-token.ts';
import { isPresented, tokenTypeOf } from '../tokens/token-binding.ts';
import { verifyAccessToken, type VerifiedAccessToken } from '../tokens/verify-own-token.ts';
import { offerNonce, readProof, type ReadProofFeatures } from './read-proof.ts';
import type { HasClock } from '../clock.ts';
import type { HasSettings } from '../settings/settings.ts';
import type { ClientFeatures } from '../clients/client-features.ts';
import type { HttpFeatures } from '../http/http-features.ts';
import type { KeyFeatures } from '../keys/key-features.ts';

/** What presented tokens are verified with. */
export type PresentedTokenFeatures = HasClock &
  HasSettings &
  Pick<KeyFeatures, 'keyring'> &
  Pick<ClientFeatures, 'clients'> &
  RevokedTokenFeatures &
  ReadProofFeatures &
  Pick<HttpFeatures, 'clientCertificates'>;

/** How an access token was presented. */
export type TokenScheme = 'Bearer' | 'DPoP';

/** An access token as it came with a request. */
export interface PresentedToken {
  readonly scheme: TokenScheme;
  readonly text: string;
}

/**
 * The token of the Authorization header.
 *
 * @throws OAuthError 401 with a challenge that names no error, as RFC 6750 §3.1 has it, when there is none
 */
export function readHeaderToken({ headers }: FastifyRequest): PresentedToken {
  const [, scheme, text] =
    /^(Bearer|DPoP) +([A-Za-z0-9\-._~+/]+=*)$/i.exec(headers.authorization ?? '') ?? [];
  if (scheme !== undefined && text !== undefined) {
    return { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', text };
  }
  throw new OAuthError('invalid_token', 'An access token is needed.', {
    headers: { 'www-authenticate': `Bearer, ${dpopChallenge()}` },
  });
}

/**
 * Verifies a token of this server, with its proof where it is bound to a key, and that its grant was not revoked.
 *
 * @param path of the request below the issuer, which a DPoP proof names
 * @throws OAuthError invalid_token, invalid_dpop_proof, use_dpop_nonce, each 401 with its challenge
 */
export async function verifyPresented(
  features: PresentedTokenFeatures,
  { scheme, text }: PresentedToken,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<VerifiedAccessToken> {
  const { settings, keyring, clock } = features;
  offerNonce(request, reply, features);
  const token = await verifyAccessToken(text, { ...settings, keyring, clock });
  if (!token || (await isRevokedToken(token, features))) throw invalidToken(scheme);
  const keyThumbprint =
    scheme === 'DPoP' ? await readProofOf({ text, token }, request, reply, path, features) : undefined;
  const certificateThumbprint = features.clientCertificates.of(request)?.thumbprint;
  // Neither a bound token without its key, nor an unbound one that pretends to be bound. RFC 9449 §7.2, RFC 8705 §3
  const isAsBound = isPresented(token, { keyThumbprint, certificateThumbprint });
  if (!isAsBound || tokenTypeOf(token) !== scheme) throw invalidToken(scheme);
  return token;
}

/** A challenge reports what is wrong with a proof at a resource. RFC 9449 §7.1, §9 */
async function readProofOf(
  { text, token }: { readonly text: string; readonly token: VerifiedAccessToken },
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  features: PresentedTokenFeatures,
): Promise<string | undefined> {
  const client = await features.clients.find(token.clientId);
  if (!client) throw invalidToken('DPoP');
  try {
    return await readProof(request, reply, path, client, features, text);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { code, message, detail, headers } = error;
    if (code !== 'invalid_dpop_proof' && code !== 'use_dpop_nonce') throw error;
    throw new OAuthError(code, message, {
      status: 401,
      ...(detail !== undefined && { detail }),
      headers: { ...headers, 'www-authenticate': challengeOf('DPoP', code, message) },
    });
  }
}

/** A token that is not honoured here. RFC 6750 §3.1 */
export function invalidToken(scheme: TokenScheme): OAuthError {
  return rejectedToken(scheme, 'invalid_token', 'The access token is expired, revoked or not valid here.');
}

/** A rejection with its challenge. RFC 6750 §3 @param more further parameters of the challenge */
export function rejectedToken(
  scheme: TokenScheme,
  code: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'insufficient_user_authentication',
  description: string,
  more = '',
): OAuthError {
  const challenge = challengeOf(scheme, code, description) + more;
  return new OAuthError(code, description, { headers: { 'www-authenticate': challenge } });
}

function challengeOf(scheme: TokenScheme, code: OAuthErrorCode, description: string): string {
  const start = scheme === 'DPoP' ? `${dpopChallenge()}, ` : 'Bearer ';
  return `${start}error="${code}", error_description="${description}"`;
}

function dpopChallenge(): string {
  return `DPoP algs="${PROOF_ALGORITHMS.join(' ')}"`;
}
