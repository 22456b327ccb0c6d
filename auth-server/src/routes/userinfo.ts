import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Account } from '../accounts.ts';
import { proofAlgorithms } from '../dpop/verify-proof.ts';
import { OAuthError } from '../errors.ts';
import { addEndpoint, type RouteHandler } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import { verifyAccessToken, type VerifiedAccessToken } from '../tokens/verify-own-token.ts';
import { userClaims } from '../user-claims.ts';
import { paths } from './paths.ts';
import { readProof } from './read-proof.ts';
import type { RouteContext } from './route-context.ts';

interface PresentedToken {
  readonly scheme: 'Bearer' | 'DPoP';
  readonly text: string;
}

/** Claims about the person whom an access token stands for. OpenID Connect Core §5.3 */
export function addUserinfoRoute(server: FastifyInstance, context: RouteContext): void {
  const answer: RouteHandler = async (request, reply) => {
    const presented = readToken(request);
    const token = await verify(context, presented, request);
    if (!token.scopes.includes('openid')) {
      throw refused(
        presented.scheme,
        'insufficient_scope',
        'The token lacks the scope openid.',
        ', scope="openid"',
      );
    }
    const account = await findAccount(context, token, presented.scheme);
    return reply.header('cache-control', 'no-store').send(userClaims(account, token.scopes));
  };
  addEndpoint(server, paths.userinfo, { GET: answer, POST: answer }, { cors: true });
}

/** From the header or the form, never from the query. RFC 6750 §2, RFC 9449 §7.1 */
function readToken(request: FastifyRequest): PresentedToken {
  const { authorization } = request.headers;
  const inForm = request.method === 'POST' ? formParameters(request).get('access_token') : undefined;
  if (authorization !== undefined && inForm !== undefined) {
    throw refused('Bearer', 'invalid_request', 'The token is sent in two ways.');
  }
  if (inForm !== undefined) return { scheme: 'Bearer', text: inForm };
  const [, scheme, text] = /^(Bearer|DPoP) +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '') ?? [];
  if (scheme !== undefined && text !== undefined) {
    return { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', text };
  }
  throw new OAuthError('invalid_token', 'An access token is needed.', {
    headers: { 'www-authenticate': `Bearer, ${dpopChallenge()}` },
  });
}

async function verify(
  { services }: RouteContext,
  { scheme, text }: PresentedToken,
  request: FastifyRequest,
): Promise<VerifiedAccessToken> {
  const { settings, keyring, clock, grants } = services;
  const token = await verifyAccessToken(text, { ...settings, keyring, clock });
  if (!token || (await grants.isRevoked(token.grantId))) throw invalidToken(scheme);
  const keyThumbprint =
    scheme === 'DPoP' ? await readProof(request, paths.userinfo, services, text) : undefined;
  // Neither a bound token without its key, nor an unbound one that pretends to be bound. RFC 9449 §7.2
  if (token.keyThumbprint !== keyThumbprint || (scheme === 'DPoP' && keyThumbprint === undefined)) {
    throw invalidToken(scheme);
  }
  return token;
}

async function findAccount(
  { services }: RouteContext,
  token: VerifiedAccessToken,
  scheme: PresentedToken['scheme'],
): Promise<Account> {
  const account = await services.accounts.findById(token.subject);
  if (!account || account.disabled) throw invalidToken(scheme);
  return account;
}

function invalidToken(scheme: PresentedToken['scheme']): OAuthError {
  return refused(scheme, 'invalid_token', 'The access token is expired, revoked or not valid here.');
}

/** RFC 6750 §3 */
function refused(
  scheme: PresentedToken['scheme'],
  code: 'invalid_request' | 'invalid_token' | 'insufficient_scope',
  description: string,
  more = '',
): OAuthError {
  const start = scheme === 'DPoP' ? `${dpopChallenge()}, ` : 'Bearer ';
  const challenge = `${start}error="${code}", error_description="${description}"${more}`;
  return new OAuthError(code, description, { headers: { 'www-authenticate': challenge } });
}

function dpopChallenge(): string {
  return `DPoP algs="${proofAlgorithms.join(' ')}"`;
}
