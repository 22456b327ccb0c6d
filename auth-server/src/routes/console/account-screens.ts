import { roles } from '../../accounts/accounts.ts';
import type { ConsoleSection } from '../../pages/console-page.ts';
import type { Cell } from '../../pages/table.ts';
import { listGrantsOfAccount, listSessionsOfAccount } from '../admin/account-sessions.ts';
import { listAccounts, readAccount, type AccountJson } from '../admin/accounts.ts';
import { sectionsOf, type ScreenMaker, type ScreenTools } from './screens.ts';

/** Accounts on a page: as many as the operation returns. */
const PAGE = 100;

/** Finds accounts, and invites users. */
export const accountsScreen: ScreenMaker = async ({ read, query, may, search, form, to, texts }) => {
  const { accounts: words } = texts;
  const q = query.get('q');
  const { accounts } = await read(listAccounts, {}, { q, after: query.get('after') });
  const last = accounts.length < PAGE ? undefined : accounts.at(-1)?.id;
  const next = new URLSearchParams({ q: q ?? '', after: last ?? '' }).toString();
  return {
    title: texts.navigation.accounts,
    sections: sectionsOf(
      {
        id: 'accounts',
        heading: texts.navigation.accounts,
        forms: [search('/accounts', [{ name: 'q', label: words.query, type: 'search', value: q }])],
      },
      {
        id: 'found',
        heading: q === undefined ? words.all : words.found,
        empty: texts.none,
        table: {
          labelledBy: 'found',
          columns: [texts.name, texts.email, texts.role, texts.state],
          rows: accounts.map(({ id, name, email, role, disabled }): Cell[] => [
            { href: to(`/accounts/${id}`), text: name },
            email,
            role,
            disabled ? { strong: texts.disabled } : texts.active,
          ]),
        },
        links: last === undefined ? [] : [{ href: to(`/accounts?${next}`), text: texts.more }],
      },
      may('auth:accounts:write') && {
        id: 'invite',
        heading: words.invite,
        forms: [
          form('inviteAccount', {
            fields: [
              { name: 'email', label: texts.email, type: 'email', isRequired: true },
              { name: 'name', label: texts.name, type: 'text', isRequired: true },
              { name: 'role', label: texts.role, type: 'select', options: roles, value: 'VIEWER' },
            ],
            submit: words.makeLink,
          }),
        ],
      },
    ),
  };
};

/** One account. */
export const accountScreen: ScreenMaker = async (tools) => {
  const { read, path, may } = tools;
  const { id = '' } = path;
  const account = await read(readAccount, { id });
  return {
    title: account.name,
    sections: sectionsOf(
      factsOf(tools, account),
      may('auth:accounts:write') && changesOf(tools, account),
      may('auth:grants:read') && (await sessionsOf(tools, id)),
      may('auth:grants:read') && (await grantsOf(tools, id)),
    ),
  };
};

function factsOf({ may, to, texts }: ScreenTools, account: AccountJson): ConsoleSection {
  const { id, email, email_verified: isVerified, role, disabled } = account;
  return {
    id: 'account',
    heading: texts.account,
    facts: [
      [texts.email, isVerified ? email : texts.accounts.notVerified(email)],
      [texts.role, role],
      [texts.state, disabled ? { strong: texts.disabled } : texts.active],
      [texts.id, { code: id }],
    ],
    links: may('auth:audit:read') ? [{ href: to(`/audit?subject=${id}`), text: texts.history }] : [],
  };
}

function changesOf(
  { form, texts }: ScreenTools,
  { id, email, name, role, disabled }: AccountJson,
): ConsoleSection {
  const { accounts: words } = texts;
  const hidden = { id };
  const state = disabled
    ? form('enableAccount', { hidden, fields: [], submit: words.enable, kind: 'secondary' })
    : form('disableAccount', { hidden, fields: [], submit: words.disable, kind: 'danger' });
  return {
    id: 'changes',
    heading: texts.change,
    forms: [
      form('changeAccount', {
        summary: words.profile,
        hidden,
        fields: [
          { name: 'name', label: texts.name, type: 'text', value: name, isRequired: true },
          { name: 'email', label: texts.email, type: 'email', value: email, isRequired: true },
          { name: 'role', label: texts.role, type: 'select', options: roles, value: role },
        ],
        submit: texts.save,
      }),
      form('resetAccount', {
        hidden,
        fields: [],
        submit: words.reset,
        kind: 'secondary',
      }),
      state,
    ],
  };
}

async function sessionsOf(
  { read, may, form, button, time, texts }: ScreenTools,
  id: string,
): Promise<ConsoleSection> {
  const { accounts: words } = texts;
  const { sessions } = await read(listSessionsOfAccount, { id });
  const isAllowed = may('auth:grants:write');
  return {
    id: 'sessions',
    heading: words.sessions,
    empty: texts.none,
    table: {
      labelledBy: 'sessions',
      columns: [words.device, words.address, words.signedIn, words.lastSeen, texts.end],
      rows: sessions.map(
        ({ session_id: session, browser = words.someBrowser, authenticated_at: since, ...seen }) => [
          browser,
          seen.seen_from ?? '',
          time(since),
          time(seen.seen_at),
          isAllowed ? button('endSession', texts.end, browser, { id, session }) : '',
        ],
      ),
    },
    forms: isAllowed
      ? [
          form('signOutAccount', {
            hidden: { id },
            fields: [],
            submit: words.endAll,
            kind: 'danger',
          }),
        ]
      : [],
  };
}

async function grantsOf(
  { read, may, button, time, to, texts }: ScreenTools,
  id: string,
): Promise<ConsoleSection> {
  const { accounts: words } = texts;
  const { grants } = await read(listGrantsOfAccount, { id });
  return {
    id: 'grants',
    heading: words.grants,
    empty: texts.none,
    table: {
      labelledBy: 'grants',
      columns: [texts.client, texts.scope, words.api, texts.since, words.lastUse, texts.end],
      rows: grants.map(
        ({ grant_id: grant, client_id: client, scope, audience, created_at: since, used_at: used }) => [
          { href: to(`/clients/${encodeURIComponent(client)}`), text: client },
          scope,
          audience,
          time(since),
          time(used),
          may('auth:grants:write')
            ? button('revokeGrant', words.revoke, client, { id: grant, account: id })
            : '',
        ],
      ),
    },
  };
}
