import type { ConsoleSection } from '../../pages/console-page.ts';
import type { Cell } from '../../pages/table.ts';
import { listClients, readClient, type ClientJson } from '../admin/clients.ts';
import { testSignIn } from '../admin/sign-in-test.ts';
import { sectionsOf, type ScreenMaker, type ScreenTools } from './screens.ts';

/** Those of clients without keys and certificates, which metadata says. */
const METHODS = ['none', 'client_secret_basic', 'client_secret_post'];

/** All clients, and a form for one more. */
export const clientsScreen: ScreenMaker = async ({ read, may, form, to, texts }) => {
  const { clients: words } = texts;
  const { clients } = await read(listClients);
  return {
    title: texts.navigation.clients,
    sections: sectionsOf(
      {
        id: 'clients',
        heading: words.registered,
        empty: texts.none,
        table: {
          labelledBy: 'clients',
          columns: [texts.name, texts.id, texts.method, texts.source],
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
        heading: words.register,
        forms: [
          form('registerClient', {
            fields: [
              { name: 'client_name', label: texts.name, type: 'text', isRequired: true },
              { name: 'client_id', label: texts.id, type: 'text', hint: words.madeId },
              { name: 'redirect_uris', label: texts.redirectUris, type: 'textarea', hint: words.perLine },
              {
                name: 'token_endpoint_auth_method',
                label: texts.method,
                type: 'select',
                options: METHODS,
                value: 'none',
              },
              { name: 'scope', label: texts.scope, type: 'text', value: 'openid', isRequired: true },
            ],
            submit: words.submit,
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

function factsOf({ may, to, texts }: ScreenTools, client: ClientJson): ConsoleSection {
  const { client_id: id } = client;
  const isFromFile = client.source === 'file';
  return {
    id: 'client',
    heading: texts.client,
    ...(isFromFile && { intro: texts.clients.fromFile }),
    facts: [
      [texts.id, { code: id }],
      [texts.redirectUris, { lines: client.redirect_uris }],
      [texts.clients.grantTypes, { lines: client.grant_types }],
      [texts.scope, client.scope],
      [texts.method, client.token_endpoint_auth_method],
      [texts.source, client.source],
    ],
    links: may('auth:audit:read')
      ? [{ href: to(`/audit?client_id=${encodeURIComponent(id)}`), text: texts.history }]
      : [],
  };
}

/** Tests what the form asks for, once it was sent. */
async function signInTestOf(
  { read, query, search, texts }: ScreenTools,
  client: ClientJson,
): Promise<ConsoleSection> {
  const { clients: words } = texts;
  const { client_id: id, redirect_uris: uris } = client;
  const [redirectUri, scope] = [query.get('redirect_uri'), query.get('scope')];
  const path = `/clients/${encodeURIComponent(id)}`;
  const form = {
    ...search(path, [
      {
        name: 'redirect_uri',
        label: words.redirectUri,
        type: 'select',
        options: uris,
        value: redirectUri ?? uris[0],
      },
      { name: 'scope', label: texts.scope, type: 'text', value: scope ?? client.scope },
    ]),
    submit: words.submitTest,
  };
  const base = { id: 'test', heading: words.test, forms: [form] };
  if (redirectUri === undefined) return base;
  const outcome = await read(testSignIn, { id }, { redirect_uri: redirectUri, scope });
  const facts: readonly (readonly [string, Cell])[] = outcome.works
    ? [
        [texts.result.heading, { strong: words.works }],
        [words.tryIt, { href: outcome.authorization_url, text: words.signIn }],
        [words.verifier, { code: outcome.code_verifier }],
      ]
    : [
        [texts.result.heading, { strong: outcome.error ?? '' }],
        [words.why, { english: outcome.error_description ?? '' }],
      ];
  return { ...base, facts };
}

function changesOf({ form, texts }: ScreenTools, client: ClientJson): ConsoleSection {
  const { clients: words } = texts;
  const { client_id: id, source: _source, ...metadata } = client;
  const hidden = { id };
  const hasSecret = client.token_endpoint_auth_method.startsWith('client_secret');
  const rotation = form('rotateClientSecret', {
    hidden,
    fields: [
      {
        name: 'grace_seconds',
        label: words.grace,
        type: 'number',
        value: '86400',
      },
    ],
    submit: words.rotate,
    kind: 'secondary',
  });
  return {
    id: 'changes',
    heading: texts.change,
    forms: [
      ...(hasSecret ? [rotation] : []),
      form('replaceClient', {
        summary: words.metadata,
        hidden,
        fields: [
          {
            name: 'metadata',
            label: `${words.metadata} (RFC 7591)`,
            type: 'textarea',
            value: JSON.stringify(metadata, undefined, 2),
            isRequired: true,
          },
        ],
        submit: texts.save,
      }),
      form('removeClient', {
        summary: texts.remove,
        hidden,
        fields: [],
        submit: words.removeAll,
        kind: 'danger',
      }),
    ],
  };
}
