import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  authorizationUrl,
  completePages,
  createPkce,
  exchange,
  obtainTokens,
  PASSWORD,
  responseOf,
  startTestAuthServer,
  type TestAuthServer,
  tokensOf,
} from '@trellis/auth-server/testing';
import {
  startPaymentsSubgraph,
  type SubgraphServer,
  startTestGateway,
  type TestGateway,
} from '@trellis/gateway/testing';
import { Browser } from '@trellis/testkit/sign-in';

const TEN_MINUTES_MS = 600_000;

let subgraph: SubgraphServer;
let server: TestAuthServer;
let gateway: TestGateway;

beforeAll(async () => {
  subgraph = await startPaymentsSubgraph();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }); // the clock of the auth-server, which a sign-in of before needs
  server = await startTestAuthServer();
  gateway = await startTestGateway({
    subgraphs: [subgraph],
    environment: {
      TOKEN_ISSUER: server.issuer,
      TOKEN_AUDIENCE: 'https://api.example/graphql',
      TOKEN_JWKS_URL: `${server.issuer}/jwks.json`,
    },
    settings: `
authorization:
  policies:
    recent: { claim: acr, value: '${PASSWORD.acr}', maxAgeS: 300 }
    strong: { claim: acr, value: phr }
`,
  });
});
afterAll(async () => {
  vi.useRealTimers();
  await Promise.all([gateway.close(), server.stop()]);
  await subgraph.close();
});

interface Asked {
  readonly data: unknown;
  /** Parameters of the challenge. */
  readonly challenge: Readonly<Record<string, string>>;
}

/** Asks as a client does that knows RFC 6750 and 9470, and nothing else of the server. */
async function ask(query: string, accessToken: string): Promise<Asked> {
  const { body, headers } = await gateway.post({ query }, { authorization: `Bearer ${accessToken}` });
  const written = headers.get('www-authenticate') ?? '';
  const pairs = [...written.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]);
  return { data: body.data, challenge: Object.fromEntries(pairs) as Record<string, string> };
}

/** What the challenge asks for, as parameters of an authorization request. RFC 9470 §4 */
function stepUp({ challenge }: Asked): Record<string, string> {
  expect(challenge['error']).toBe('insufficient_user_authentication');
  const { acr_values: acrValues, max_age: maxAge } = challenge;
  return {
    ...(acrValues !== undefined && { acr_values: acrValues }),
    ...(maxAge !== undefined && { max_age: maxAge }),
  };
}

describe('RFC 9470: step-up, from the challenge of the gateway to the response', () => {
  it('A-213 a sign-in that is too old is asked for again, once, and its token opens the field', async () => {
    const browser = new Browser();
    vi.setSystemTime(Date.now() - TEN_MINUTES_MS);
    const old = await obtainTokens(server.issuer, {}, browser);
    vi.setSystemTime(Date.now() + TEN_MINUTES_MS);
    expect((await ask('{ balance }', old.accessToken)).data).toEqual({ balance: 1 });
    const denied = await ask('{ account }', old.accessToken);
    expect(denied.data).toEqual({ account: null });

    const parameters = stepUp(denied);
    expect(parameters).toEqual({ acr_values: PASSWORD.acr, max_age: '300' });
    const pkce = createPkce();
    const first = await browser.get(authorizationUrl(server.issuer, pkce, parameters));
    expect(first.headers.get('location')).toContain('/login');
    const code = responseOf(await completePages(browser, first, server.issuer)).get('code') ?? '';
    const fresh = tokensOf(await exchange(server.issuer, code, pkce));

    const claims = decodeJwt(fresh.accessToken);
    expect(claims['acr']).toBe(PASSWORD.acr);
    expect(claims['auth_time']).toBeGreaterThan(Number(decodeJwt(old.accessToken)['auth_time']) + 300);
    expect(await ask('{ account }', fresh.accessToken)).toEqual({ data: { account: 2 }, challenge: {} });
  });

  it('a refresh is no sign-in: the field stays closed', async () => {
    vi.setSystemTime(Date.now() - TEN_MINUTES_MS);
    const old = await obtainTokens(server.issuer);
    vi.setSystemTime(Date.now() + TEN_MINUTES_MS);
    const form = { grant_type: 'refresh_token', client_id: 'spa', refresh_token: old.refreshToken };
    const response = await fetch(`${server.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    const { access_token: accessToken } = (await response.json()) as { access_token: string };
    expect(stepUp(await ask('{ account }', accessToken))).toHaveProperty('max_age', '300');
  });

  it('a class that no sign-in has ends with an error, and not in a circle', async () => {
    const browser = new Browser();
    const { accessToken } = await obtainTokens(server.issuer, { scope: 'read:data' }, browser);
    const parameters = { ...stepUp(await ask('{ vault }', accessToken)), scope: 'read:data' };
    expect(parameters).toEqual({ acr_values: 'phr', scope: 'read:data' });
    const response = responseOf(await browser.get(authorizationUrl(server.issuer, createPkce(), parameters)));
    expect(response.get('error')).toBe('unmet_authentication_requirements');
  });
});
