import { z } from 'zod';
import { parseAccountClaims } from '../../accounts/account-claims.ts';
import { emailProblem, nameProblem } from '../../accounts/account-rules.ts';
import { LastAdministrator } from '../../accounts/account-store.ts';
import { roles, type Account, type Role } from '../../accounts/accounts.ts';
import type { AccountFeatures } from '../../accounts/account-features.ts';
import { issueLink, resetLinkOf, type IssueLinkFeatures } from '../../administration/account-links.ts';
import {
  changeAccount,
  disableAccount,
  enableAccount,
  type AccountAdministrationFeatures,
} from '../../administration/accounts.ts';
import type { ApplicationFeatures } from '../../administration/applications.ts';
import type { EndSessionFeatures } from '../../administration/end-session.ts';
import { OAuthError } from '../../errors.ts';
import type { GrantFeatures } from '../../grants/grant-features.ts';
import { invalid, required, requireAllFor } from './admin-context.ts';
import { parse, type AdminCall, type AdminOperation, type PerformFeatures } from './admin-operation.ts';

/** What the administration of accounts works with. */
export type AccountApiFeatures = Pick<AccountFeatures, 'accounts' | 'sessions'> &
  Pick<GrantFeatures, 'revoker'> &
  IssueLinkFeatures &
  AccountAdministrationFeatures &
  ApplicationFeatures &
  EndSessionFeatures &
  PerformFeatures;

type Operation<Body> = AdminOperation<AccountApiFeatures, Body>;

const PAGE = 100;
const name = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const problem = nameProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
const email = z.string().refine((text) => emailProblem(text) === undefined, { error: 'is no address' });
const invitation = z.strictObject({ email, name, role: z.enum(roles) });
const change = z.strictObject({
  name: name.optional(),
  email: email.optional(),
  role: z.enum(roles).optional(),
  claims: z.unknown().optional(),
  disabled: z.boolean().optional(),
});

/** An account as the API shows it. */
export interface AccountJson {
  readonly id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  readonly role: Role;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly disabled: boolean;
}

/** An address that lets its holder do one thing once. */
export interface LinkJson {
  readonly link: string;
}

const linkSchema = z.object({ link: z.string() });
const accountSchema = z.object({
  id: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  name: z.string(),
  role: z.enum(roles),
  claims: z.record(z.string(), z.unknown()),
  disabled: z.boolean(),
});
/** Lists accounts by id, 100 at a time, or finds them. */
export const listAccounts: Operation<{ accounts: readonly AccountJson[] }> = {
  id: 'listAccounts',
  method: 'GET',
  path: '/accounts',
  scope: 'auth:accounts:read',
  summary: 'Lists accounts by id, 100 at a time, or finds them.',
  query: {
    email: 'The one account with this address.',
    q: 'Those whose address or name has this text in it.',
    after: 'The id that the page before ended with.',
  },
  output: z.object({ accounts: z.array(accountSchema) }),
  statuses: [200],
  run: async ({ accounts }, { query }) => {
    const address = query.get('email');
    const found =
      address === undefined
        ? await accounts.list(PAGE, uuidOrNone(query.get('after')), query.get('q'))
        : [await accounts.findByEmail(address)].flatMap((account) => account ?? []);
    return { status: 200, body: { accounts: found.map(describeAccount) } };
  },
};

/** Makes a one-time link with which someone chooses the password of a new account. */
export const inviteAccount: Operation<LinkJson> = {
  id: 'inviteAccount',
  method: 'POST',
  path: '/accounts',
  scope: 'auth:accounts:write',
  summary: 'Makes a one-time link with which someone chooses the password of a new account.',
  input: invitation,
  output: linkSchema,
  statuses: [201],
  run: async (features, { body, administrator }) => {
    const account = parse(invitation, body);
    requireAllFor(administrator, account.role);
    if (await features.accounts.findByEmail(account.email)) throw addressTaken();
    const wanted = { purpose: 'invitation', ...account } as const;
    return { status: 201, body: { link: await issueLink(features, wanted, administrator.actor) } };
  },
};

/** Reads an account. */
export const readAccount: Operation<AccountJson> = {
  id: 'readAccount',
  method: 'GET',
  path: '/accounts/:id',
  scope: 'auth:accounts:read',
  summary: 'Reads an account.',
  output: accountSchema,
  statuses: [200],
  run: async (features, call) => ({ status: 200, body: describeAccount(await findAccount(features, call)) }),
};

/** Changes name, address, role and claims of an account, disables it, or enables it again. */
export const changeAccountOperation: Operation<AccountJson> = {
  id: 'changeAccount',
  method: 'PATCH',
  path: '/accounts/:id',
  scope: 'auth:accounts:write',
  summary: 'Changes name, address, role and claims of an account, disables it, or enables it again.',
  input: change,
  output: accountSchema,
  statuses: [200],
  run: async (features, call) => {
    const { administrator } = call;
    const { id, role } = await findAccount(features, call);
    const { disabled, claims, ...rest } = parse(change, call.body);
    for (const one of [role, rest.role]) requireAllFor(administrator, one);
    const changes = { ...rest, claims: claims === undefined ? undefined : readClaims(claims) };
    const by = administrator.actor;
    await rejectLastAdministrator(async () => {
      const isChange = Object.values(changes).some((value) => value !== undefined);
      if (isChange && (await changeAccount(features, id, changes, by)) === 'taken') throw addressTaken();
      if (disabled === true) await disableAccount(features, id, by);
      if (disabled === false) await enableAccount(features, id, by);
    });
    return { status: 200, body: describeAccount(await findAccount(features, call)) };
  },
};

/** Makes a one-time link with which the owner of an account chooses another password. */
export const resetAccount: Operation<LinkJson> = {
  id: 'resetAccount',
  method: 'POST',
  path: '/accounts/:id/reset',
  scope: 'auth:accounts:write',
  summary: 'Makes a one-time link with which the owner of an account chooses another password.',
  output: linkSchema,
  statuses: [201],
  run: async (features, call) => {
    const account = await findAccount(features, call);
    requireAllFor(call.administrator, account.role);
    const made = await issueLink(features, resetLinkOf(account), call.administrator.actor);
    return { status: 201, body: { link: made } };
  },
};

/** The account that a path names. @throws OAuthError when there is none */
export async function findAccount({ accounts }: AccountApiFeatures, { path }: AdminCall): Promise<Account> {
  return required(await accounts.findById(path['id'] ?? ''));
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

function describeAccount(account: Account): AccountJson {
  const { id, email: address, emailVerified, name: fullName, role, claims, disabled } = account;
  return { id, email: address, email_verified: emailVerified, name: fullName, role, claims, disabled };
}

function readClaims(value: unknown): Readonly<Record<string, unknown>> {
  const parsed = parseAccountClaims(value);
  if (parsed.kind === 'problems') throw invalid(parsed.problems);
  return parsed.claims;
}

function uuidOrNone(text: string | undefined): string | undefined {
  return text !== undefined && z.uuid().safeParse(text).success ? text : undefined;
}
