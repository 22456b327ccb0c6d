import { roles } from '../../accounts/accounts.ts';
import type { ConsoleSection } from '../../pages/console-page.ts';
import type { Cell } from '../../pages/table.ts';
import {
  listAccounts,
  listGrantsOfAccount,
  listSessionsOfAccount,
  readAccount,
  type AccountJson,
} from '../admin/accounts.ts';
import { sectionsOf, type ScreenMaker, type ScreenTools } from './screens.ts';

/** Accounts on a page: as many as the operation returns. */
const PAGE = 100;

/** Finds accounts, and invites people. */
export const accountsScreen: ScreenMaker = async ({ read, query, may, search, form, to }) => {
  const q = query.get('q');
  const { accounts } = await read(listAccounts, {}, { q, after: query.get('after') });
  const last = accounts.length < PAGE ? undefined : accounts.at(-1)?.id;
  const next = new URLSearchParams({ q: q ?? '', after: last ?? '' }).toString();
  return {
    title: 'Accounts',
    sections: sectionsOf(
      {
        id: 'accounts',
        heading: 'Accounts',
        forms: [
          search('/accounts', [{ name: 'q', label: 'Name or e-mail address', type: 'search', value: q }]),
        ],
      },
      {
        id: 'found',
        heading: q === undefined ? 'All' : 'Found',
        empty: 'None.',
        table: {
          labelledBy: 'found',
          columns: ['Name', 'E-mail address', 'Role', 'State'],
          rows: accounts.map(({ id, name, email, role, disabled }): Cell[] => [
            { href: to(`/accounts/${id}`), text: name },
            email,
            role,
            disabled ? { strong: 'disabled' } : 'active',
          ]),
        },
        links: last === undefined ? [] : [{ href: to(`/accounts?${next}`), text: 'More' }],
      },
      may('auth:accounts:write') && {
        id: 'invite',
        heading: 'Invite someone',
        forms: [
          form('inviteAccount', {
            fields: [
              { name: 'email', label: 'E-mail address', type: 'email', isRequired: true },
              { name: 'name', label: 'Name', type: 'text', isRequired: true },
              { name: 'role', label: 'Role', type: 'select', options: roles, value: 'VIEWER' },
            ],
            submit: 'Make a link',
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

function factsOf({ may, to }: ScreenTools, account: AccountJson): ConsoleSection {
  const { id, email, email_verified: isVerified, role, disabled } = account;
  return {
    id: 'account',
    heading: 'Account',
    facts: [
      ['E-mail address', `${email}${isVerified ? '' : ' (not verified)'}`],
      ['Role', role],
      ['State', disabled ? { strong: 'disabled' } : 'active'],
      ['Id', { code: id }],
    ],
    links: may('auth:audit:read') ? [{ href: to(`/audit?subject=${id}`), text: 'What happened to it' }] : [],
  };
}

function changesOf({ form }: ScreenTools, { id, email, name, role, disabled }: AccountJson): ConsoleSection {
  const hidden = { id };
  const state = disabled
    ? form('enableAccount', { hidden, fields: [], submit: 'Enable', kind: 'secondary' })
    : form('disableAccount', { hidden, fields: [], submit: 'Disable', kind: 'danger' });
  return {
    id: 'changes',
    heading: 'Change',
    forms: [
      form('changeAccount', {
        summary: 'Name, address and role',
        hidden,
        fields: [
          { name: 'name', label: 'Name', type: 'text', value: name, isRequired: true },
          { name: 'email', label: 'E-mail address', type: 'email', value: email, isRequired: true },
          { name: 'role', label: 'Role', type: 'select', options: roles, value: role },
        ],
        submit: 'Save',
      }),
      form('resetAccount', {
        hidden,
        fields: [],
        submit: 'Make a link for a new password',
        kind: 'secondary',
      }),
      state,
    ],
  };
}

async function sessionsOf(
  { read, may, form, button, time }: ScreenTools,
  id: string,
): Promise<ConsoleSection> {
  const { sessions } = await read(listSessionsOfAccount, { id });
  const isAllowed = may('auth:grants:write');
  return {
    id: 'sessions',
    heading: 'Sessions',
    empty: 'None.',
    table: {
      labelledBy: 'sessions',
      columns: ['Device', 'Network address', 'Signed in', 'Last seen', 'End'],
      rows: sessions.map(
        ({ session_id: session, browser = 'A browser', authenticated_at: since, ...seen }) => [
          browser,
          seen.seen_from ?? '',
          time(since),
          time(seen.seen_at),
          isAllowed ? button('endSession', 'End', browser, { id, session }) : '',
        ],
      ),
    },
    forms: isAllowed
      ? [
          form('signOutAccount', {
            hidden: { id },
            fields: [],
            submit: 'End all sessions and grants',
            kind: 'danger',
          }),
        ]
      : [],
  };
}

async function grantsOf({ read, may, button, time, to }: ScreenTools, id: string): Promise<ConsoleSection> {
  const { grants } = await read(listGrantsOfAccount, { id });
  return {
    id: 'grants',
    heading: 'Grants',
    empty: 'None.',
    table: {
      labelledBy: 'grants',
      columns: ['Client', 'Scope', 'API', 'Since', 'Last use', 'End'],
      rows: grants.map(
        ({ grant_id: grant, client_id: client, scope, audience, created_at: since, used_at: used }) => [
          { href: to(`/clients/${encodeURIComponent(client)}`), text: client },
          scope,
          audience,
          time(since),
          time(used),
          may('auth:grants:write') ? button('revokeGrant', 'Revoke', client, { id: grant, account: id }) : '',
        ],
      ),
    },
  };
}
