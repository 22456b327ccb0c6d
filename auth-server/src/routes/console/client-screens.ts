import type { ConsoleSection } from '../../pages/console-page.ts';
import type { Cell } from '../../pages/table.ts';
import { listClients, readClient, type ClientJson } from '../admin/clients.ts';
import { testSignIn } from '../admin/sign-in-test.ts';
import { sectionsOf, type ScreenMaker, type ScreenTools } from './screens.ts';

/** Those of clients without keys and certificates, which metadata says. */
const METHODS = ['none', 'client_secret_basic', 'client_secret_post'];

/** All clients, and a form for one more. */
export const clientsScreen: ScreenMaker = async ({ read, may, form, to }) => {
  const { clients } = await read(listClients);
  return {
    title: 'Clients',
    sections: sectionsOf(
      {
        id: 'clients',
        heading: 'Registered',
        empty: 'None.',
        table: {
          labelledBy: 'clients',
          columns: ['Name', 'Id', 'Proves itself by', 'From'],
          rows: clients.map(
            ({ client_id: id, client_name: name, token_endpoint_auth_method: method, source }): Cell[] => [
              { href: to(`/clients/${encodeURIComponent(id)}`), text: name },
              { code: id },
              method,
              source,
            ],
          ),
        },
      },
      may('auth:clients:write') && {
        id: 'register',
        heading: 'Register a client',
        forms: [
          form('registerClient', {
            fields: [
              { name: 'client_name', label: 'Name', type: 'text', isRequired: true },
              { name: 'client_id', label: 'Id', type: 'text', hint: 'Made where this is empty.' },
              { name: 'redirect_uris', label: 'Redirect URIs', type: 'textarea', hint: 'One in each line.' },
              {
                name: 'token_endpoint_auth_method',
                label: 'Proves itself by',
                type: 'select',
                options: METHODS,
                value: 'none',
              },
              { name: 'scope', label: 'Scope', type: 'text', value: 'openid', isRequired: true },
            ],
            submit: 'Register',
          }),
        ],
      },
    ),
  };
};

/** One client. */
export const clientScreen: ScreenMaker = async (tools) => {
  const { read, path, may } = tools;
  const { id = '' } = path;
  const client = await read(readClient, { id });
  const isChangeable = may('auth:clients:write') && client.source !== 'file';
  return {
    title: client.client_name,
    sections: sectionsOf(
      factsOf(tools, client),
      client.redirect_uris.length > 0 && (await signInTestOf(tools, client)),
      isChangeable && changesOf(tools, client),
    ),
  };
};

function factsOf({ may, to }: ScreenTools, client: ClientJson): ConsoleSection {
  const { client_id: id } = client;
  const isFromFile = client.source === 'file';
  return {
    id: 'client',
    heading: 'Client',
    ...(isFromFile && { intro: 'It is declared in the clients file; change it there.' }),
    facts: [
      ['Id', { code: id }],
      ['Redirect URIs', { lines: client.redirect_uris }],
      ['Grant types', { lines: client.grant_types }],
      ['Scope', client.scope],
      ['Proves itself by', client.token_endpoint_auth_method],
      ['From', client.source],
    ],
    links: may('auth:audit:read')
      ? [{ href: to(`/audit?client_id=${encodeURIComponent(id)}`), text: 'What happened to it' }]
      : [],
  };
}

/** Tests what the form asks for, once it was sent. */
async function signInTestOf(
  { read, query, search }: ScreenTools,
  client: ClientJson,
): Promise<ConsoleSection> {
  const { client_id: id, redirect_uris: uris } = client;
  const [redirectUri, scope] = [query.get('redirect_uri'), query.get('scope')];
  const path = `/clients/${encodeURIComponent(id)}`;
  const form = {
    ...search(path, [
      {
        name: 'redirect_uri',
        label: 'Redirect URI',
        type: 'select',
        options: uris,
        value: redirectUri ?? uris[0],
      },
      { name: 'scope', label: 'Scope', type: 'text', value: scope ?? client.scope },
    ]),
    submit: 'Test',
  };
  const base = { id: 'test', heading: 'Test a sign-in', forms: [form] };
  if (redirectUri === undefined) return base;
  const outcome = await read(testSignIn, { id }, { redirect_uri: redirectUri, scope });
  const facts: readonly (readonly [string, Cell])[] = outcome.works
    ? [
        ['Result', { strong: 'The request is good.' }],
        ['Try it', { href: outcome.authorization_url, text: 'Sign in as a user would' }],
        ['Code verifier', { code: outcome.code_verifier }],
      ]
    : [
        ['Result', { strong: outcome.error ?? '' }],
        ['Why', outcome.error_description ?? ''],
      ];
  return { ...base, facts };
}

function changesOf({ form }: ScreenTools, client: ClientJson): ConsoleSection {
  const { client_id: id, source: _source, ...metadata } = client;
  const hidden = { id };
  const hasSecret = client.token_endpoint_auth_method.startsWith('client_secret');
  const rotation = form('rotateClientSecret', {
    hidden,
    fields: [
      {
        name: 'grace_seconds',
        label: 'Seconds for which the secret of before works',
        type: 'number',
        value: '86400',
      },
    ],
    submit: 'Rotate secret',
    kind: 'secondary',
  });
  return {
    id: 'changes',
    heading: 'Change',
    forms: [
      ...(hasSecret ? [rotation] : []),
      form('replaceClient', {
        summary: 'Metadata',
        hidden,
        fields: [
          {
            name: 'metadata',
            label: 'Metadata (RFC 7591)',
            type: 'textarea',
            value: JSON.stringify(metadata, undefined, 2),
            isRequired: true,
          },
        ],
        submit: 'Save',
      }),
      form('removeClient', {
        summary: 'Remove',
        hidden,
        fields: [],
        submit: 'Remove with all that it was given',
        kind: 'danger',
      }),
    ],
  };
}
