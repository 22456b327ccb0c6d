import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientFeatures } from '../../clients/client-features.ts';
import { CONSOLE_CLIENT, CONSOLE_SCOPE, heldAdminScopes, type AdminScope } from '../../clients/scopes.ts';
import type { HasClock } from '../../clock.ts';
import { OAuthError } from '../../errors.ts';
import { sendPage } from '../../http/send-page.ts';
import { textsFor } from '../../http/texts-for.ts';
import { renderConsole, type ConsoleSection } from '../../pages/console-page.ts';
import type { PageTexts } from '../../pages/texts/page-texts.ts';
import type { ConsolePageName } from '../../pages/texts/console-texts.ts';
import { paths } from '../../paths.ts';
import type { Administrator } from '../admin/admin-context.ts';
import type { OperationFeatures } from '../admin/operations.ts';
import { formToken, type BoundFormFeatures } from '../bound-form.ts';
import { askToSignIn, findUser, type SignedInUser, type SignedInUserFeatures } from '../signed-in-user.ts';

/** What the console works with. */
export type ConsoleFeatures = HasClock &
  Pick<ClientFeatures, 'clients'> &
  BoundFormFeatures &
  SignedInUserFeatures &
  OperationFeatures;

/** An operator who looks at the console. */
export interface ConsoleVisit {
  readonly user: SignedInUser;
  readonly administrator: Administrator;
  /** In the operator's language. */
  readonly texts: PageTexts;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What a page of the console is made of. */
export interface Screen {
  readonly title: string;
  readonly sections: readonly ConsoleSection[];
}

/**
 * Whether there is a console, and what it may do: what an operator has registered for it. Without that registration it does not exist.
 *
 * @throws OAuthError not_found
 */
async function consoleScopes({ clients }: ConsoleFeatures): Promise<readonly string[]> {
  const client = await clients.find(CONSOLE_CLIENT);
  const registered = client?.metadata.unvetted === false ? client.scopes : [];
  const scopes = heldAdminScopes(registered);
  if (scopes.includes(CONSOLE_SCOPE)) return scopes;
  throw new OAuthError('not_found', 'There is nothing at this address.');
}

/**
 * Who looks at the console. Users who have not signed in are asked to.
 *
 * @returns undefined where the response has been sent
 * @throws OAuthError for users who are no administrators, and where there is no console
 */
export async function findOperator(
  features: ConsoleFeatures,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ConsoleVisit | undefined> {
  const scopes = await consoleScopes(features);
  const user = await findUser(features, request);
  if (!user) {
    askToSignIn(features, pathOf(features, request), request, reply);
    return undefined;
  }
  if (user.account.role !== 'ADMIN')
    throw new OAuthError('insufficient_scope', 'The console is for administrators.', { redirect: false });
  const actor = { name: `user ${user.account.id}`, address: request.ip } as const;
  return { user, administrator: { actor, scopes }, texts: textsFor(request), request, reply };
}

/** Where a visitor goes on after signing in. */
function pathOf({ settings }: ConsoleFeatures, { method, url }: FastifyRequest): string {
  const path = url.slice(new URL(settings.issuer).pathname.replace(/\/$/, '').length);
  return method === 'GET' && path.length <= MOST_PATH ? path : paths.console;
}

/** What an address of the console has at most, characters. */
const MOST_PATH = 500;

/** What binds the forms of the console: the browser, the session and the account. */
export function consoleForm(
  features: ConsoleFeatures,
  { user: { account, session }, request, reply }: ConsoleVisit,
): readonly [browserHash: string, form: string, subject: string] {
  return [features.cookies.ensureBrowser(request, reply), `console ${session.sessionId}`, account.id];
}

/** Address of a page of the console. @param path below the console's own */
export function consoleAddress({ settings }: ConsoleFeatures, path = ''): string {
  return `${settings.issuer}${paths.console}${path}`;
}

/** The pages, and what one has to be allowed to see them. */
const navigation: readonly (readonly [page: ConsolePageName, scope: AdminScope])[] = [
  ['accounts', 'auth:accounts:read'],
  ['clients', 'auth:clients:read'],
  ['keys', 'auth:keys:read'],
  ['audit', 'auth:audit:read'],
  ['mail', 'auth:mail:read'],
  ['graph', 'auth:graph:read'],
];

/** Sends a page of the console. */
export function sendScreen(
  features: ConsoleFeatures,
  visit: ConsoleVisit,
  { title, sections }: Screen,
  { done, problem, status = 200 }: { done?: string | undefined; problem?: string; status?: number } = {},
): FastifyReply {
  const { user, administrator, texts, request, reply } = visit;
  const [path = ''] = request.url.split('?', 1);
  const shown = navigation.filter(([, scope]) => administrator.scopes.includes(scope));
  const page = {
    title,
    csrf: formToken(features, ...consoleForm(features, visit)),
    operator: user.account.email,
    navigation: shown.map(([below]) => ({
      href: consoleAddress(features, `/${below}`),
      text: texts.console.navigation[below],
      isCurrent: path.includes(`${paths.console}/${below}`),
    })),
    done,
    problem,
    sections,
  };
  return sendPage(reply, renderConsole(page, texts), { status });
}
