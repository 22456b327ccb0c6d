import { characterProblem } from '@trellis/runtime/admission';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Role } from '../../accounts/accounts.ts';
import type { Actor } from '../../audit/audit.ts';
import { OAuthError } from '../../errors.ts';
import { ADMIN_SCOPE, heldAdminScopes, type AdminScope } from '../../clients/scopes.ts';
import { nowS, type HasClock } from '../../clock.ts';
import type { VerifiedAccessToken } from '../../tokens/verify-own-token.ts';
import {
  invalidToken,
  readHeaderToken,
  rejectedToken,
  verifyPresented,
  type TokenScheme,
  type PresentedTokenFeatures,
} from '../presented-token.ts';
import type { HasSettings } from '../../settings/settings.ts';
import type { AccountFeatures } from '../../accounts/account-features.ts';

/** What identifies the administrator. */
export type AuthorizedFeatures = HasClock &
  HasSettings &
  Pick<AccountFeatures, 'accounts'> &
  PresentedTokenFeatures;

/** Who administers, by which right. */
export interface Administrator {
  /** For the audit log. */
  readonly actor: Actor;
  /** The scopes of the admin API that the token has, `auth:admin` spelled out. */
  readonly scopes: readonly string[];
}

/** Answers a request that was authorized. */
export type AdminHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  administrator: Administrator,
) => Promise<FastifyReply>;

/**
 * Lets a handler answer those who may administer: a token for this API with the scope, of a client that acts for itself
 * or of a user whose role is ADMIN. To change something, the user must have signed in not long ago.
 */
export function authorized(
  features: AuthorizedFeatures,
  scope: AdminScope,
  handler: AdminHandler,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    const administrator = await authorize(features, scope, request, reply);
    reply.header('cache-control', 'no-store');
    return handler(request, reply, administrator);
  };
}

async function authorize(
  features: AuthorizedFeatures,
  scope: AdminScope,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Administrator> {
  const { settings, accounts } = features;
  const presented = readHeaderToken(request);
  const path = pathBelow(settings.issuer, request.url);
  const token = await verifyPresented(features, presented, request, reply, path);
  if (token.audience !== settings.adminAudience) throw invalidToken(presented.scheme);
  const isUser = token.subject !== token.clientId;
  const account = isUser ? await accounts.findById(token.subject) : undefined;
  const isAdministrator = !isUser || (account?.role === 'ADMIN' && !account.disabled);
  const scopes = heldAdminScopes(token.scopes);
  if (!isAdministrator || !scopes.includes(scope)) {
    const description = 'The token does not allow this.';
    throw rejectedToken(presented.scheme, 'insufficient_scope', description, `, scope="${scope}"`);
  }
  if (isUser && request.method !== 'GET') checkFreshness(features, token, presented.scheme);
  const name = account ? (`user ${account.id}` as const) : (`client ${token.clientId}` as const);
  return { actor: { name, address: request.ip }, scopes };
}

/** @throws OAuthError insufficient_user_authentication when the user signed in too long ago. RFC 9470 §3 */
function checkFreshness(
  features: AuthorizedFeatures,
  { authenticatedAt }: VerifiedAccessToken,
  scheme: TokenScheme,
): void {
  const maxAgeS = features.settings.adminSignInMaxAgeS;
  if (authenticatedAt !== undefined && nowS(features) - authenticatedAt <= maxAgeS) return;
  const description = 'Sign in again to change something.';
  throw rejectedToken(scheme, 'insufficient_user_authentication', description, `, max_age="${maxAgeS}"`);
}

/**
 * No one gives what he has not: who may change clients can't make one that may do more here than he does, nor take over one.
 *
 * @param scopes of the client, as it is or is to be
 * @throws OAuthError insufficient_scope
 */
export function requireScopesOf(administrator: Administrator, scopes: readonly string[]): void {
  const missing = heldAdminScopes(scopes).filter((scope) => !administrator.scopes.includes(scope));
  if (missing.length > 0) throw lacking(`Needs what it gives or changes: ${missing.join(' ')}.`);
}

/** Who may change accounts, but not everything, leaves administrators alone. @throws OAuthError insufficient_scope */
export function requireAllFor(administrator: Administrator, role: Role | undefined): void {
  if (role === 'ADMIN' && !administrator.scopes.includes(ADMIN_SCOPE)) {
    throw lacking(`Administrators are made and changed with ${ADMIN_SCOPE} alone.`);
  }
}

function lacking(description: string): OAuthError {
  return new OAuthError('insufficient_scope', description);
}

/** Without the query, which a DPoP proof leaves out. RFC 9449 §4.2 */
function pathBelow(issuer: string, url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.slice(new URL(issuer).pathname.replace(/\/$/, '').length);
}

/** A path parameter. @throws OAuthError invalid_request for one that no id can be */
export function parameterOf(request: FastifyRequest, name: string): string {
  const { [name]: value = '' } = request.params as Readonly<Record<string, string>>;
  const problem = characterProblem(value, 'line');
  if (problem !== undefined) throw new OAuthError('invalid_request', `${name}: ${problem}`);
  return value;
}

/** @throws OAuthError not_found */
export function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new OAuthError('not_found', 'There is no such thing here.');
  return value;
}

/** All that is wrong with what was sent. */
export function invalid(problems: readonly string[]): OAuthError {
  return new OAuthError('invalid_request', problems.join('; '));
}
