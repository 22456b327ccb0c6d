import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { parseAccountClaims } from '../../accounts/account-claims.ts';
import { emailProblem, nameProblem } from '../../accounts/account-rules.ts';
import { roles, type Account } from '../../accounts/accounts.ts';
import { issueLink, resetLinkOf, type IssueLinkFeatures } from '../../administration/account-links.ts';
import {
  changeAccount,
  disableAccount,
  enableAccount,
  type AccountAdministrationFeatures,
} from '../../administration/accounts.ts';
import { listGrants, type ApplicationFeatures } from '../../administration/applications.ts';
import { endSessionsOf, type EndSessionFeatures } from '../../administration/end-session.ts';
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
  type AuthorizedFeatures,
} from './admin-context.ts';
import type { AccountFeatures } from '../../accounts/account-features.ts';
import type { GrantFeatures } from '../../grants/grant-features.ts';

/** What the administration of accounts works with. */
export type AccountApiFeatures = Pick<AccountFeatures, 'accounts'> &
  Pick<GrantFeatures, 'revoker'> &
  IssueLinkFeatures &
  AccountAdministrationFeatures &
  ApplicationFeatures &
  EndSessionFeatures &
  AuthorizedFeatures;

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
export function addAccountAdministration(server: FastifyInstance, features: AccountApiFeatures): void {
  const find = async (id: string): Promise<Account> => required(await features.accounts.findById(id));
  addEndpoint(server, '/accounts', {
    GET: authorized(features, 'auth:accounts:read', async (request, reply) => {
      const query = queryParameters(request);
      const email = query.get('email');
      const found =
        email === undefined
          ? await features.accounts.list(PAGE, uuidOrNone(query.get('after')))
          : [await features.accounts.findByEmail(email)].flatMap((account) => account ?? []);
      return reply.send({ accounts: found.map(describeAccount) });
    }),
    POST: authorized(features, 'auth:accounts:write', async (request, reply, by, administrator) => {
      const account = parse(invitation, request.body);
      requireAllFor(administrator, account.role);
      if (await features.accounts.findByEmail(account.email)) {
        throw addressTaken();
      }
      const link = await issueLink(features, { purpose: 'invitation', ...account }, by);
      return reply.status(201).send({ link });
    }),
  });
  addEndpoint(server, '/accounts/:id', {
    GET: authorized(features, 'auth:accounts:read', async (request, reply) =>
      reply.send(describeAccount(await find(parameterOf(request, 'id')))),
    ),
    PATCH: authorized(features, 'auth:accounts:write', async (request, reply, by, administrator) => {
      const { id, role } = await find(parameterOf(request, 'id'));
      const { disabled, claims, ...rest } = parse(change, request.body);
      for (const one of [role, rest.role]) requireAllFor(administrator, one);
      const changes = { ...rest, claims: claims === undefined ? undefined : readClaims(claims) };
      await rejectLastAdministrator(async () => {
        const isChange = Object.values(changes).some((value) => value !== undefined);
        if (isChange && (await changeAccount(features, id, changes, by)) === 'taken') throw addressTaken();
        if (disabled === true) await disableAccount(features, id, by);
        if (disabled === false) await enableAccount(features, id, by);
      });
      return reply.send(describeAccount(await find(id)));
    }),
  });
  addEndpoint(server, '/accounts/:id/reset', {
    POST: authorized(features, 'auth:accounts:write', async (request, reply, by, administrator) => {
      const account = await find(parameterOf(request, 'id'));
      requireAllFor(administrator, account.role);
      const link = await issueLink(features, resetLinkOf(account), by);
      return reply.status(201).send({ link });
    }),
  });
  addEndpoint(server, '/accounts/:id/sign-out', {
    POST: authorized(features, 'auth:grants:write', async (request, reply) => {
      const { id } = await find(parameterOf(request, 'id'));
      await features.revoker.revokeOfAccount(id, 'operator');
      await endSessionsOf(id, features);
      return reply.status(204).send();
    }),
  });
  addEndpoint(server, '/accounts/:id/grants', {
    GET: authorized(features, 'auth:grants:read', async (request, reply) => {
      const { id } = await find(parameterOf(request, 'id'));
      const grants = (await listGrants(features, id)).map((grant) => ({
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

/** Someone must be left who can administer. */
async function rejectLastAdministrator(work: () => Promise<void>): Promise<void> {
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
