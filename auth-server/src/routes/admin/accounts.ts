import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseAccountClaims } from '../../accounts/account-claims.ts';
import { emailProblem, nameProblem } from '../../accounts/account-rules.ts';
import { roles, type Account } from '../../accounts/accounts.ts';
import { issueLink, resetLinkOf } from '../../administration/account-links.ts';
import { changeAccount, disableAccount, enableAccount } from '../../administration/accounts.ts';
import { listGrants } from '../../administration/applications.ts';
import { endSessionsOf } from '../../administration/end-session.ts';
import { OAuthError } from '../../errors.ts';
import { addEndpoint } from '../../http/endpoint.ts';
import { queryParameters } from '../../http/request-parameters.ts';
import { LastAdministrator } from '../../accounts/account-store.ts';
import {
  authorized,
  invalid,
  parameterOf,
  required,
  requireAllFor,
  type AdminContext,
} from './admin-context.ts';

const PAGE = 100;
const name = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const problem = nameProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
const email = z.string().refine((text) => emailProblem(text) === undefined, { error: 'is no address' });
const invitation = z.strictObject({
  email,
  name,
  role: z.enum(roles),
});
const change = z.strictObject({
  name: name.optional(),
  email: email.optional(),
  role: z.enum(roles).optional(),
  claims: z.unknown().optional(),
  disabled: z.boolean().optional(),
});

/** Accounts: list, find, invite, change, disable, reset, sign out everywhere, and their grants. */
export function addAccountAdministration(server: FastifyInstance, context: AdminContext): void {
  const { services } = context;
  const find = async (id: string): Promise<Account> => required(await services.accounts.findById(id));
  addEndpoint(server, '/accounts', {
    GET: authorized(context, 'auth:accounts:read', async (request, reply) => {
      const query = queryParameters(request);
      const email = query.get('email');
      const found =
        email === undefined
          ? await services.accounts.list(PAGE, uuidOrNone(query.get('after')))
          : [await services.accounts.findByEmail(email)].flatMap((account) => account ?? []);
      return reply.send({ accounts: found.map(describeAccount) });
    }),
    POST: authorized(context, 'auth:accounts:write', async (request, reply, by, administrator) => {
      const account = parse(invitation, request.body);
      requireAllFor(administrator, account.role);
      if (await services.accounts.findByEmail(account.email)) {
        throw addressTaken();
      }
      const link = await issueLink(services, { purpose: 'invitation', ...account }, by);
      return reply.status(201).send({ link });
    }),
  });
  addEndpoint(server, '/accounts/:id', {
    GET: authorized(context, 'auth:accounts:read', async (request, reply) =>
      reply.send(describeAccount(await find(parameterOf(request, 'id')))),
    ),
    PATCH: authorized(context, 'auth:accounts:write', async (request, reply, by, administrator) => {
      const { id, role } = await find(parameterOf(request, 'id'));
      const { disabled, claims, ...rest } = parse(change, request.body);
      for (const one of [role, rest.role]) requireAllFor(administrator, one);
      const changes = { ...rest, claims: claims === undefined ? undefined : readClaims(claims) };
      await refuseLastAdministrator(async () => {
        const isChange = Object.values(changes).some((value) => value !== undefined);
        if (isChange && (await changeAccount(services, id, changes, by)) === 'taken') throw addressTaken();
        if (disabled === true) await disableAccount(services, id, by);
        if (disabled === false) await enableAccount(services, id, by);
      });
      return reply.send(describeAccount(await find(id)));
    }),
  });
  addEndpoint(server, '/accounts/:id/reset', {
    POST: authorized(context, 'auth:accounts:write', async (request, reply, by, administrator) => {
      const account = await find(parameterOf(request, 'id'));
      requireAllFor(administrator, account.role);
      const link = await issueLink(services, resetLinkOf(account), by);
      return reply.status(201).send({ link });
    }),
  });
  addEndpoint(server, '/accounts/:id/sign-out', {
    POST: authorized(context, 'auth:grants:write', async (request, reply) => {
      const { id } = await find(parameterOf(request, 'id'));
      await services.revoker.revokeOfAccount(id, 'operator');
      await endSessionsOf(id, services);
      return reply.status(204).send();
    }),
  });
  addEndpoint(server, '/accounts/:id/grants', {
    GET: authorized(context, 'auth:grants:read', async (request, reply) => {
      const { id } = await find(parameterOf(request, 'id'));
      const grants = (await listGrants(services, id)).map((grant) => ({
        grant_id: grant.grantId,
        client_id: grant.clientId,
        scope: grant.scopes.join(' '),
        audience: grant.audience,
        created_at: grant.createdAt,
        expires_at: grant.expiresAt,
      }));
      return reply.send({ grants });
    }),
  });
}

/** Somebody must be left who can administer. */
async function refuseLastAdministrator(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof LastAdministrator)) throw error;
    throw new OAuthError('invalid_request', error.message, { status: 409 });
  }
}

function addressTaken(): OAuthError {
  return new OAuthError('invalid_request', 'There is an account with this address.', { status: 409 });
}

function describeAccount(account: Account): Readonly<Record<string, unknown>> {
  const { id, email, emailVerified, name: fullName, role, claims, disabled } = account;
  return { id, email, email_verified: emailVerified, name: fullName, role, claims, disabled };
}

function readClaims(value: unknown): Readonly<Record<string, unknown>> {
  const parsed = parseAccountClaims(value);
  if (parsed.kind === 'problems') throw invalid(parsed.problems);
  return parsed.claims;
}

function parse<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`));
}

function uuidOrNone(text: string | undefined): string | undefined {
  return text !== undefined && z.uuid().safeParse(text).success ? text : undefined;
}
