import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import { parseClient } from '../clients/parse-client.ts';
import { emailProblem, nameProblem } from '../accounts/account-rules.ts';
import { basic, obtainTokens, postForm } from '../testing/flow.ts';
import { runCommand } from '../testing/run-command.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { CLIENT_SECRET } from '../testing/test-clients.ts';
import { endpointBudgets } from './endpoint-budgets.ts';

const REGISTRATION_TOKEN = 'q3Zt7LkX9vB2nM5cR8wY1sD4fG6hJ0pA';

/** As they stand in forms and addresses. Halves of surrogate pairs are no UTF-8. */
const IN_FORMS: readonly string[] = ['%00', 'a%ED%A0%80', 'a%E2%80%AEb', 'a%E2%80%8F', '%E2%81%A6b'];
/** As they stand in JSON. */
const IN_JSON: readonly string[] = ['\\u0000', 'a\\ud800', '\\udc00b', 'a\\u202eb', 'a\\u200f', '\\u2066b'];

let server: TestAuthServer;
let browser: Browser;
let adminToken: string;
beforeAll(async () => {
  server = await startTestAuthServer({
    ADMIN_API: 'true',
    REGISTRATION_TOKEN,
    MAIL_URL: 'log:',
    SIGN_UP: 'true',
  });
  browser = new Browser();
  await obtainTokens(server.issuer, {}, browser);
  const administrator = {
    client_id: 'administrator',
    client_secret: CLIENT_SECRET,
    grant_types: ['client_credentials'],
    scope: 'auth:admin',
  };
  await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(administrator));
  const form = { grant_type: 'client_credentials', resource: `${server.issuer}/admin` };
  const { body } = await postForm(`${server.issuer}/token`, form, basic('administrator'));
  adminToken = String(body['access_token']);
});
afterAll(() => server.stop());

const cookieOf = ({ cookies }: Browser): string => cookies.header;

async function send(method: string, path: string, type?: string, body?: string): Promise<number> {
  const isAdmin = path.startsWith('/admin');
  const authorization = `Bearer ${isAdmin ? adminToken : REGISTRATION_TOKEN}`;
  const response = await fetch(server.issuer + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(type !== undefined && { 'content-type': type }),
      ...(isAdmin || path === '/register' ? { authorization } : { cookie: cookieOf(browser) }),
    },
    ...(body !== undefined && { body }),
  });
  return response.status;
}

/** Endpoints that read neither a query nor a body. Those that are answered from memory read none either. */
const TEXTLESS: ReadonlySet<string> = new Set([
  'GET /userinfo',
  'GET /account',
  'GET /sign-up',
  'GET /forgotten',
]);
const endpoints = Object.entries(endpointBudgets)
  .filter(([endpoint, budget]) => budget !== 'free' && !TEXTLESS.has(endpoint))
  .map(([endpoint]) => endpoint.split(' ') as [method: string, path: string]);

describe('L1: NUL, halves of surrogate pairs and what changes the direction of text are 400', () => {
  it.each(endpoints.filter(([, path]) => !path.startsWith('/register')))('in %s %s', async (method, path) => {
    for (const text of IN_FORMS) {
      for (const pair of [`name=${text}`, `${text}=name`]) {
        const status =
          method === 'GET'
            ? await send(method, `${path}?${pair}`)
            : await send(method, path, 'application/x-www-form-urlencoded', pair);
        expect({ pair, status }).toEqual({ pair, status: 400 });
      }
    }
  });

  it.each([
    ['POST', '/register'],
    ['PUT', '/register/unknown'],
    ['POST', '/admin/clients'],
    ['PUT', '/admin/clients/spa'],
    ['POST', '/admin/accounts'],
    ['PATCH', '/admin/accounts/0198f3a2-0000-7000-8000-000000000001'],
  ])('in the JSON of %s %s', async (method, path) => {
    for (const text of IN_JSON) {
      for (const body of [`{"client_name":"${text}"}`, `{"claims":{"a":["${text}"]}}`, `{"${text}":1}`]) {
        expect({ body, status: await send(method, path, 'application/json', body) }).toEqual({
          body,
          status: 400,
        });
      }
    }
  });

  it.each([
    ['GET', '/admin/accounts?email='],
    ['GET', '/admin/audit-events?subject='],
    ['GET', '/admin/audit-events?client_id='],
    ['GET', '/admin/accounts/'],
    ['GET', '/admin/clients/'],
    ['DELETE', '/admin/clients/'],
    ['DELETE', '/admin/grants/'],
  ])('in %s %s', async (method, path) => {
    for (const text of IN_FORMS) {
      const status = await send(method, path + text);
      expect({ text, status }).toEqual({ text, status: 400 });
    }
  });
});

describe('L1: names are one line', () => {
  it.each(['Ada\0', 'Ada\ud800', 'A\u202eda', 'Ada\nMarlow', 'Ada\u200f'])(
    'of people and clients, wherever they come from: %j',
    (name) => {
      expect(nameProblem(name)).toMatch(/^must/);
      expect(emailProblem(`${name}@example.com`)).toBeDefined();
      const client = { client_id: 'a', client_name: name, redirect_uris: ['https://app.example/callback'] };
      expect(
        parseClient(client, {
          apiAudiences: [],
          certificates: 'none',
          scopes: ['openid'],
          grantTypes: ['authorization_code', 'refresh_token'],
        }),
      ).toMatchObject({
        kind: 'problems',
        problems: [expect.stringContaining('client_name: must')],
      });
    },
  );

  it.each(['Ada Marlow', 'שלום', 'می‌خواهم', 'O’Neil'])('may be %s', (name) => {
    expect(nameProblem(name)).toBeUndefined();
  });
});
