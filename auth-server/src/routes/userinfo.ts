import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Account } from '../accounts.ts';
import { OAuthError } from '../errors.ts';
import { addEndpoint, type RouteHandler } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import { verifyAccessToken, type VerifiedAccessToken } from '../tokens/verify-own-token.ts';
import { userClaims } from '../user-claims.ts';
import { paths } from './paths.ts';
import type { RouteContext } from './route-context.ts';

/** Claims about the person whom an access token stands for. OpenID Connect Core §5.3 */
export function addUserinfoRoute(server: FastifyInstance, context: RouteContext): void {
  const answer: RouteHandler = async (request, reply) => {
    const token = await verify(context, readToken(request));
    if (!token.scopes.includes('openid')) {
      throw refused('insufficient_scope', 'The token lacks the scope openid.', ', scope="openid"');
    }
    const account = await findAccount(context, token);
    return reply.header('cache-control', 'no-store').send(userClaims(account, token.scopes));
  };
  addEndpoint(server, paths.userinfo, { GET: answer, POST: answer }, { cors: true });
}

/** From the header or the form, never from the query. RFC 6750 §2 */
function readToken(request: FastifyRequest): string {
  const { authorization } = request.headers;
  const inForm = request.method === 'POST' ? formParameters(request).get('access_token') : undefined;
  if (authorization !== undefined && inForm !== undefined) {
    throw refused('invalid_request', 'The token is sent in two ways.');
  }
  const inHeader = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1];
  const token = inHeader ?? inForm;
  if (token !== undefined) return token;
  throw new OAuthError('invalid_token', 'An access token is needed.', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

async function verify({ services }: RouteContext, text: string): Promise<VerifiedAccessToken> {
  const token = await verifyAccessToken(text, {
    ...services.settings,
    keyring: services.keyring,
    clock: services.clock,
  });
  if (!token || (await services.grants.isRevoked(token.grantId))) throw invalidToken();
  return token;
}

async function findAccount({ services }: RouteContext, token: VerifiedAccessToken): Promise<Account> {
  const account = await services.accounts.findById(token.subject);
  if (!account || account.disabled) throw invalidToken();
  return account;
}

function invalidToken(): OAuthError {
  return refused('invalid_token', 'The access token is expired, revoked or not valid here.');
}

/** RFC 6750 §3 */
function refused(
  code: 'invalid_request' | 'invalid_token' | 'insufficient_scope',
  description: string,
  more = '',
): OAuthError {
  const challenge = `Bearer error="${code}", error_description="${description}"${more}`;
  return new OAuthError(code, description, { headers: { 'www-authenticate': challenge } });
}
