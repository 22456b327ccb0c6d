import type { AdminScope } from '../../clients/scopes.ts';
import type { ConsoleField, ConsoleForm, ConsoleSection } from '../../pages/console-page.ts';
import { timeCell, type Cell, type CellForm } from '../../pages/table.ts';
import type { ConsoleTexts } from '../../pages/texts/console-texts.ts';
import { parametersOf, type Parameters } from '../../parameters.ts';
import { parameterOf } from '../admin/admin-context.ts';
import { callOf, perform, type AdminOperation } from '../admin/admin-operation.ts';
import { listAuditEvents } from '../admin/audit-events.ts';
import { listKeys } from '../admin/keys.ts';
import { listMail } from '../admin/mail.ts';
import type { OperationFeatures } from '../admin/operations.ts';
import { consoleAddress, type ConsoleFeatures, type ConsoleVisit, type Screen } from './console-context.ts';

/** Makes one page of the console. */
export type ScreenMaker = (screen: ScreenTools) => Promise<Screen>;

/** What pages of the console are made with. */
export interface ScreenTools {
  readonly query: Parameters;
  /** In the operator's language. */
  readonly texts: ConsoleTexts;
  /** In which it is read. */
  readonly direction: 'ltr' | 'rtl';
  /** Parts of the address. */
  readonly path: Readonly<Record<string, string>>;
  /** Runs an operation that reads. */
  read<Body>(
    operation: AdminOperation<OperationFeatures, Body>,
    path?: Readonly<Record<string, string>>,
    query?: Readonly<Record<string, string | undefined>>,
  ): Promise<Body>;
  /** Whether the operator may do something here; forms for other things are not shown. */
  may(scope: AdminScope): boolean;
  /** Address of a page. */
  to(path: string): string;
  /** A form of one button in a table. */
  button(action: string, button: string, about: string, fields: Readonly<Record<string, string>>): CellForm;
  /** A form of the page. */
  form(
    action: string,
    form: Omit<ConsoleForm, 'action' | 'method' | 'id'> & { readonly id?: string },
  ): ConsoleForm;
  /** A form that asks for another page. */
  search(path: string, fields: readonly ConsoleField[]): ConsoleForm;
  /** A moment. @param at seconds since 1970 */
  time(at: number | undefined): Cell;
}

/** Makes them for one visit. */
export function screenTools(
  features: ConsoleFeatures,
  { administrator, texts, request }: ConsoleVisit,
  query: Parameters,
): ScreenTools {
  const may: ScreenTools['may'] = (scope) => administrator.scopes.includes(scope);
  const to: ScreenTools['to'] = (path) => consoleAddress(features, path);
  const actionOf = (action: string): string => to(`/actions/${action}`);
  return {
    query,
    texts: texts.console,
    direction: texts.direction,
    path: Object.fromEntries(
      Object.keys(request.params as object).map((name) => [name, parameterOf(request, name)]),
    ),
    may,
    to,
    read: async (operation, path = {}, asked = {}) => {
      const given = Object.entries(asked).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      const call = { ...callOf(administrator, path), query: parametersOf(given) };
      return (await perform(features, operation, call)).body;
    },
    button: (action, button, about, fields) => ({ action: actionOf(action), button, about, fields }),
    form: (action, form) => ({ id: action, ...form, action: actionOf(action), method: 'post' }),
    search: (path, fields) => ({
      id: 'search',
      action: to(path),
      method: 'get',
      fields,
      submit: texts.console.search,
      kind: 'secondary',
    }),
    time: (at) => timeCell(at === undefined ? undefined : at * 1000, texts),
  };
}

/** Those sections that exist. */
export function sectionsOf(
  ...sections: readonly (ConsoleSection | undefined | false)[]
): readonly ConsoleSection[] {
  return sections.flatMap((section) => section || []);
}

/** What the console begins with. */
export const overviewScreen: ScreenMaker = async ({ may, read, to, texts }) => {
  const keys = may('auth:keys:read') ? (await read(listKeys)).keys : [];
  const mail = may('auth:mail:read') ? await read(listMail) : undefined;
  const active = keys.filter(({ state }) => state === 'active').map(({ algorithm }) => algorithm);
  return {
    title: texts.title,
    sections: sectionsOf({
      id: 'state',
      heading: texts.glance,
      facts: [
        ...(keys.length > 0 ? [[texts.signingKeys, active.join(', ')] as const] : []),
        ...(mail ? [[texts.waitingMail, String(mail.waiting)] as const] : []),
      ],
      links: may('auth:audit:read')
        ? [
            { href: to('/audit?event=sign_in_failed'), text: texts.failedSignIns },
            { href: to('/audit?event=refresh_token_reused'), text: texts.reusedTokens },
            { href: to('/audit?event=administered'), text: texts.administered },
          ]
        : [],
    }),
  };
};

/** The signing keys. */
export const keysScreen: ScreenMaker = async ({ read, may, form, time, texts }) => {
  const { keys } = await read(listKeys);
  const { keys: words } = texts;
  return {
    title: texts.navigation.keys,
    sections: [
      {
        id: 'keys',
        heading: words.heading,
        table: {
          labelledBy: 'keys',
          columns: [words.key, words.algorithm, texts.state, words.made],
          rows: keys.map((key) => [
            { code: key.kid },
            key.algorithm,
            words.states[key.state],
            time(key.created_at),
          ]),
        },
        forms: may('auth:keys:write')
          ? [form('rotateKeys', { fields: [], submit: words.rotate, kind: 'danger' })]
          : [],
      },
    ],
  };
};

/** Security events. */
export const auditScreen: ScreenMaker = async ({ read, query, search, to, time, texts }) => {
  const { audit: words } = texts;
  const names = ['event', 'subject', 'client_id', 'grant_id'] as const;
  const asked = Object.fromEntries([...names, 'before'].map((name) => [name, query.get(name)]));
  const { events } = await read(listAuditEvents, {}, asked);
  const labels = {
    event: words.event,
    subject: words.accountId,
    client_id: words.clientId,
    grant_id: words.grantId,
  };
  const last = events.length < PAGE ? undefined : events.at(-1)?.id;
  const given = names.flatMap((name) => [[name, query.get(name) ?? '']] as const);
  const next = new URLSearchParams(Object.fromEntries([...given, ['before', last ?? '']])).toString();
  return {
    title: texts.navigation.audit,
    sections: [
      {
        id: 'search-title',
        heading: texts.search,
        forms: [
          search(
            '/audit',
            names.map((name) => ({ name, label: labels[name], type: 'search', value: query.get(name) })),
          ),
        ],
      },
      {
        id: 'events',
        heading: words.events,
        empty: texts.none,
        table: {
          labelledBy: 'events',
          columns: [words.when, words.event, texts.account, texts.client, words.details],
          rows: events.map(({ at, event, subject, client_id: clientId, details }): Cell[] => [
            time(Date.parse(at) / 1000),
            event,
            subject === undefined ? '' : { href: to(`/accounts/${subject}`), text: subject },
            clientId === undefined
              ? ''
              : { href: to(`/clients/${encodeURIComponent(clientId)}`), text: clientId },
            { lines: Object.entries(details).map(([name, value]) => `${name}: ${textOf(value)}`) },
          ]),
        },
        links: last === undefined ? [] : [{ href: to(`/audit?${next}`), text: texts.older }],
      },
    ],
  };
};

/** Events on a page: as many as the operation returns where nothing else is asked for. */
const PAGE = 100;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Messages that wait. */
export const mailScreen: ScreenMaker = async ({ read, may, button, time, texts }) => {
  const { mail: words } = texts;
  const { messages, waiting } = await read(listMail);
  const buttons = (id: string, about: string): Cell[] =>
    may('auth:mail:write')
      ? [button('retryMail', words.tryNow, about, { id }), button('removeMail', texts.remove, about, { id })]
      : ['', ''];
  return {
    title: texts.navigation.mail,
    sections: [
      {
        id: 'messages',
        heading: words.heading(waiting),
        empty: words.empty,
        table: {
          labelledBy: 'messages',
          columns: [
            words.to,
            words.subject,
            words.attempts,
            words.next,
            words.givenUp,
            words.retry,
            texts.remove,
          ],
          rows: messages.map(({ id, to, subject, attempts, next_attempt_at: next, expires_at: end }) => [
            to,
            subject,
            String(attempts),
            time(next),
            time(end),
            ...buttons(id, to),
          ]),
        },
      },
    ],
  };
};
