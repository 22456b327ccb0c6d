import { OAuthError } from '../../errors.ts';
import type { Cell } from '../../pages/table.ts';
import type { ConsoleActionName, ConsoleTexts } from '../../pages/texts/console-texts.ts';
import type { Parameters } from '../../parameters.ts';
import { endSessionOfAccount, signOutAccount } from '../admin/account-sessions.ts';
import { changeAccountOperation, inviteAccount, resetAccount } from '../admin/accounts.ts';
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
  /** Page to go on at, below the console. */
  readonly back: (form: Parameters) => string;
  readonly path?: (form: Parameters) => Readonly<Record<string, string>>;
  /** @throws OAuthError for a form that makes no body */
  readonly body?: (form: Parameters) => unknown;
  /** What is shown this once, and never again. */
  readonly show?: (body: Body, texts: ConsoleTexts) => readonly (readonly [name: string, value: Cell])[];
}

const id = (form: Parameters): Readonly<Record<string, string>> => ({ id: form.get('id') ?? '' });
const toAccount = (form: Parameters): string => `/accounts/${form.get('id') ?? ''}`;
const toClient = (form: Parameters): string => `/clients/${encodeURIComponent(form.get('id') ?? '')}`;

function secretFact(
  { client_secret: secret }: { readonly client_secret?: string | undefined },
  { result }: ConsoleTexts,
): readonly (readonly [string, Cell])[] {
  return secret === undefined ? [] : [[result.secret, { code: secret }]];
}

/** Takes the type of the body out, so that actions stand in one table. */
function action<Body>(one: ConsoleAction<Body>): ConsoleAction {
  return one as unknown as ConsoleAction; // `show` gets what the action's own operation returns
}

/** Every form of the console by its name. */
export const consoleActions: Readonly<Record<ConsoleActionName, ConsoleAction>> = Object.freeze({
  inviteAccount: action({
    operation: inviteAccount,
    back: () => '/accounts',
    body: (form) => fieldsOf(form, ['email', 'name', 'role']),
    show: ({ link }, { result }) => [[result.link, { code: link }]],
  }),
  changeAccount: action({
    operation: changeAccountOperation,
    back: toAccount,
    path: id,
    body: (form) => fieldsOf(form, ['name', 'email', 'role']),
  }),
  disableAccount: action({
    operation: changeAccountOperation,
    back: toAccount,
    path: id,
    body: () => ({ disabled: true }),
  }),
  enableAccount: action({
    operation: changeAccountOperation,
    back: toAccount,
    path: id,
    body: () => ({ disabled: false }),
  }),
  resetAccount: action({
    operation: resetAccount,
    back: toAccount,
    path: id,
    show: ({ link }, { result }) => [[result.link, { code: link }]],
  }),
  signOutAccount: action({
    operation: signOutAccount,
    back: toAccount,
    path: id,
  }),
  endSession: action({
    operation: endSessionOfAccount,
    back: toAccount,
    path: (form) => ({ ...id(form), session: form.get('session') ?? '' }),
  }),
  revokeGrant: action({
    operation: revokeGrant,
    back: (form) => `/accounts/${form.get('account') ?? ''}`,
    path: id,
  }),
  registerClient: action({
    operation: registerClientOperation,
    back: () => '/clients',
    body: (form) => ({
      ...fieldsOf(form, ['client_name', 'client_id', 'token_endpoint_auth_method', 'scope']),
      redirect_uris: (form.get('redirect_uris') ?? '').split(/\s+/).filter((uri) => uri !== ''),
    }),
    show: (client, texts) => [[texts.id, { code: client.client_id }], ...secretFact(client, texts)],
  }),
  replaceClient: action({
    operation: replaceClientOperation,
    back: toClient,
    path: id,
    body: (form) => jsonOf(form.get('metadata') ?? ''),
    show: secretFact,
  }),
  rotateClientSecret: action({
    operation: rotateClientSecret,
    back: toClient,
    path: id,
    body: (form) => ({ grace_seconds: Number(form.get('grace_seconds') ?? 0) }),
    show: secretFact,
  }),
  removeClient: action({
    operation: removeClientOperation,
    back: () => '/clients',
    path: id,
  }),
  rotateKeys: action({
    operation: rotateKeys,
    back: () => '/keys',
  }),
  retryMail: action({
    operation: retryMail,
    back: () => '/mail',
    path: id,
  }),
  removeMail: action({
    operation: removeMail,
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
