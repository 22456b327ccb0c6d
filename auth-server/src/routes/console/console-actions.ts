import { OAuthError } from '../../errors.ts';
import type { Cell } from '../../pages/table.ts';
import type { Parameters } from '../../parameters.ts';
import {
  changeAccountOperation,
  endSessionOfAccount,
  inviteAccount,
  resetAccount,
  signOutAccount,
} from '../admin/accounts.ts';
import type { AdminOperation } from '../admin/admin-operation.ts';
import {
  registerClientOperation,
  removeClientOperation,
  replaceClientOperation,
  rotateClientSecret,
} from '../admin/clients.ts';
import { revokeGrant } from '../admin/grants.ts';
import { rotateKeys } from '../admin/keys.ts';
import { removeMail, retryMail } from '../admin/mail.ts';
import type { OperationFeatures } from '../admin/operations.ts';

/** What a form of the console does: one operation, and where the operator goes on. */
export interface ConsoleAction<Body = unknown> {
  readonly operation: AdminOperation<OperationFeatures, Body>;
  /** What is said afterwards. */
  readonly done: string;
  /** Page to go on at, below the console. */
  readonly back: (form: Parameters) => string;
  readonly path?: (form: Parameters) => Readonly<Record<string, string>>;
  /** @throws OAuthError for a form that makes no body */
  readonly body?: (form: Parameters) => unknown;
  /** What is shown this once, and never again. */
  readonly show?: (body: Body) => readonly (readonly [name: string, value: Cell])[];
}

const id = (form: Parameters): Readonly<Record<string, string>> => ({ id: form.get('id') ?? '' });
const toAccount = (form: Parameters): string => `/accounts/${form.get('id') ?? ''}`;
const toClient = (form: Parameters): string => `/clients/${encodeURIComponent(form.get('id') ?? '')}`;
const secretFact = (body: {
  readonly client_secret?: string | undefined;
}): readonly (readonly [string, Cell])[] =>
  body.client_secret === undefined ? [] : [['Secret, shown this once', { code: body.client_secret }]];

/** Takes the type of the body out, so that actions stand in one table. */
function action<Body>(one: ConsoleAction<Body>): ConsoleAction {
  return one as unknown as ConsoleAction; // `show` gets what the action's own operation returns
}

/** Every form of the console by its name. */
export const consoleActions: Readonly<Record<string, ConsoleAction>> = Object.freeze({
  inviteAccount: action({
    operation: inviteAccount,
    done: 'The link works once. Send it to its reader by a way that you trust.',
    back: () => '/accounts',
    body: (form) => fieldsOf(form, ['email', 'name', 'role']),
    show: ({ link }) => [['Link', { code: link }]],
  }),
  changeAccount: action({
    operation: changeAccountOperation,
    done: 'The account was changed.',
    back: toAccount,
    path: id,
    body: (form) => fieldsOf(form, ['name', 'email', 'role']),
  }),
  disableAccount: action({
    operation: changeAccountOperation,
    done: 'The account is disabled; its sessions and grants have ended.',
    back: toAccount,
    path: id,
    body: () => ({ disabled: true }),
  }),
  enableAccount: action({
    operation: changeAccountOperation,
    done: 'The account is enabled.',
    back: toAccount,
    path: id,
    body: () => ({ disabled: false }),
  }),
  resetAccount: action({
    operation: resetAccount,
    done: 'The link works once. Send it to the owner of the account by a way that you trust.',
    back: toAccount,
    path: id,
    show: ({ link }) => [['Link', { code: link }]],
  }),
  signOutAccount: action({
    operation: signOutAccount,
    done: 'All sessions and grants have ended.',
    back: toAccount,
    path: id,
  }),
  endSession: action({
    operation: endSessionOfAccount,
    done: 'The session has ended.',
    back: toAccount,
    path: (form) => ({ ...id(form), session: form.get('session') ?? '' }),
  }),
  revokeGrant: action({
    operation: revokeGrant,
    done: 'The grant has ended.',
    back: (form) => `/accounts/${form.get('account') ?? ''}`,
    path: id,
  }),
  registerClient: action({
    operation: registerClientOperation,
    done: 'The client is registered.',
    back: () => '/clients',
    body: (form) => ({
      ...fieldsOf(form, ['client_name', 'client_id', 'token_endpoint_auth_method', 'scope']),
      redirect_uris: (form.get('redirect_uris') ?? '').split(/\s+/).filter((uri) => uri !== ''),
    }),
    show: (client) => [['Id', { code: client.client_id }], ...secretFact(client)],
  }),
  replaceClient: action({
    operation: replaceClientOperation,
    done: 'The client was changed.',
    back: toClient,
    path: id,
    body: (form) => jsonOf(form.get('metadata') ?? ''),
    show: secretFact,
  }),
  rotateClientSecret: action({
    operation: rotateClientSecret,
    done: 'The client has another secret.',
    back: toClient,
    path: id,
    body: (form) => ({ grace_seconds: Number(form.get('grace_seconds') ?? 0) }),
    show: secretFact,
  }),
  removeClient: action({
    operation: removeClientOperation,
    done: 'The client was removed.',
    back: () => '/clients',
    path: id,
  }),
  rotateKeys: action({
    operation: rotateKeys,
    done: 'The keys are rotated, or will be as soon as the next ones have been published long enough.',
    back: () => '/keys',
  }),
  retryMail: action({
    operation: retryMail,
    done: 'It is tried in a moment.',
    back: () => '/mail',
    path: id,
  }),
  removeMail: action({
    operation: removeMail,
    done: 'The message was removed.',
    back: () => '/mail',
    path: id,
  }),
});

/** Those that are filled in. */
function fieldsOf(form: Parameters, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = form.get(name)?.trim();
      return value === undefined || value === '' ? [] : [[name, value] as const];
    }),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new OAuthError('invalid_request', 'The metadata is not JSON.');
  }
}
