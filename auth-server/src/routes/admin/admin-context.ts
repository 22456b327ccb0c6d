import { characterProblem } from '@trellis/text-rules';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientAdministration } from '../../administration/clients.ts';
import type { Actor } from '../../audit.ts';
import { OAuthError } from '../../errors.ts';
import type { AuditStore } from '../../stores/audit-store.ts';
import { ADMIN_SCOPE } from '../../scopes.ts';
import type { SigningKeyDependencies } from '../../tokens/signing-keys.ts';
import { invalidToken, readHeaderToken, refusedToken, verifyPresented } from '../presented-token.ts';
import type { RouteContext } from '../route-context.ts';

/** What administration works with beside the services of every route. */
export interface Administration extends Pick<ClientAdministration, 'clientStore'> {
  readonly auditStore: AuditStore;
  readonly signingKeys: SigningKeyDependencies;
}

/** What every route of the admin API works with. */
export interface AdminContext extends RouteContext, Administration {}

/** Answers a request that was authorized. */
export type AdminHandler = (request: FastifyRequest, reply: FastifyReply, by: Actor) => Promise<FastifyReply>;

/**
 * Lets a handler answer those who may administer: a token for this API with the scope, of a client that acts for itself
 * or of a person whose role is ADMIN.
 */
export function authorized(
  context: AdminContext,
  handler: AdminHandler,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    const by = await authorize(context, request, reply);
    reply.header('cache-control', 'no-store');
    return handler(request, reply, by);
  };
}

async function authorize(
  context: AdminContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Actor> {
  const { settings, accounts } = context.services;
  const presented = readHeaderToken(request);
  const token = await verifyPresented(
    context,
    presented,
    request,
    reply,
    pathBelow(settings.issuer, request.url),
  );
  if (token.audience !== settings.adminAudience) throw invalidToken(presented.scheme);
  const account = token.subject === token.clientId ? undefined : await accounts.findById(token.subject);
  const isAdministrator =
    token.subject === token.clientId || (account?.role === 'ADMIN' && !account.disabled);
  if (!isAdministrator || !token.scopes.includes(ADMIN_SCOPE)) {
    const description = 'The token does not allow administration.';
    throw refusedToken(presented.scheme, 'insufficient_scope', description, `, scope="${ADMIN_SCOPE}"`);
  }
  return account ? `person ${account.id}` : `client ${token.clientId}`;
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
