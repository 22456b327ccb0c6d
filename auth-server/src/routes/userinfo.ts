import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/accounts.ts';
import { addEndpoint, type RouteHandler } from '../http/endpoint.ts';
import { formParameters } from '../http/request-parameters.ts';
import type { VerifiedAccessToken } from '../tokens/verify-own-token.ts';
import { userClaims } from '../accounts/user-claims.ts';
import { paths } from '../paths.ts';
import {
  invalidToken,
  readHeaderToken,
  rejectedToken,
  verifyPresented,
  type PresentedToken,
  type TokenScheme,
  type PresentedTokenFeatures,
} from './presented-token.ts';
import type { AccountFeatures } from '../accounts/account-features.ts';

/** What the userinfo endpoint works with. */
export type UserinfoFeatures = Pick<AccountFeatures, 'accounts'> & PresentedTokenFeatures;

/** Claims about the user whom an access token stands for. OpenID Connect Core §5.3 */
export function addUserinfoRoute(server: FastifyInstance, features: UserinfoFeatures): void {
  const response: RouteHandler = async (request, reply) => {
    const presented = readToken(request);
    const token = await verifyPresented(features, presented, request, reply, paths.userinfo);
    if (!token.scopes.includes('openid')) {
      const description = 'The token lacks the scope openid.';
      throw rejectedToken(presented.scheme, 'insufficient_scope', description, ', scope="openid"');
    }
    const account = await findAccount(features, token, presented.scheme);
    return reply.header('cache-control', 'no-store').send(userClaims(account, token.scopes));
  };
  addEndpoint(server, paths.userinfo, { GET: response, POST: response }, { cors: true });
}

/** From the header or the form, never from the query. RFC 6750 §2, RFC 9449 §7.1 */
function readToken(request: FastifyRequest): PresentedToken {
  const inForm = request.method === 'POST' ? formParameters(request).get('access_token') : undefined;
  if (inForm === undefined) return readHeaderToken(request);
  if (request.headers.authorization === undefined) return { scheme: 'Bearer', text: inForm };
  throw rejectedToken('Bearer', 'invalid_request', 'The token is sent in two ways.');
}

async function findAccount(
  features: UserinfoFeatures,
  token: VerifiedAccessToken,
  scheme: TokenScheme,
): Promise<Account> {
  const account = await features.accounts.findById(token.subject);
  if (!account || account.disabled) throw invalidToken(scheme);
  return account;
}
