import { USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol';
import { decodeJwt } from 'jose';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventStage } from '../testing/event-stage.ts';
import type { RawSocket } from '../testing/raw-socket.ts';

let stage: EventStage;
let graph: EventStage['graph'];
let issuer: EventStage['issuer'];
let gateway: EventStage['gateway'];

beforeAll(async () => {
  stage = await EventStage.start('headers: { fromPayload: [x-tenant, X-Shop] }', {
    FORWARD_HEADERS: 'x-tenant x-shop',
  });
  ({ graph, issuer, gateway } = stage);
});
beforeEach(() => stage.forget());
afterEach(() => stage.disconnect());
afterAll(() => stage.close());

/** What belongs to an HTTP request of the gateway's own. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'trellis-timeout-ms',
]);
const FORWARDED = [USER_CONTEXT_HEADER, 'x-request-id'];

type Headers = Readonly<Record<string, unknown>>;

/** The headers that came with what was asked last: by a subscription, and by the fetch for its event. */
async function headersOfOneEvent(
  socket: RawSocket,
): Promise<readonly [subscribed: Headers, fetched: Headers]> {
  socket.subscribe('1', 'subscription { published { id author { name } } }');
  await until(() => graph.news.open() === 1);
  graph.news.publish({ id: 'a', author: '1' });
  expect(await socket.next()).toMatchObject({ type: 'next', payload: { data: { published: { id: 'a' } } } });
  const extensions = graph.news.subscribed[0]?.extensions as { readonly headers: Headers }; // the contract says so
  return [extensions.headers, graph.people.received[0]?.headers ?? {}];
}

function namesOf(headers: Headers): string[] {
  return Object.keys(headers)
    .filter((name) => !OWN_HEADERS.has(name))
    .toSorted();
}

describe('S-064 the headers of the upgrade request', () => {
  const sent = {
    cookie: 'session=1',
    'user-agent': 'a browser',
    'x-user-id': 'root',
    'x-user-roles': 'ADMIN',
    x_user_id: 'root',
    'X-Forwarded-User': 'root',
    'x-request-id': 'of the client',
    'trellis-user-context': 'forged',
    'x-forwarded-for': '10.0.0.1',
    'accept-language': 'en',
  };

  it('stay at the gateway: neither a subscription nor a fetch for its event carries them', async () => {
    const socket = await stage.connect({}, { ...sent, authorization: `Bearer ${await issuer.sign()}` });
    for (const headers of await headersOfOneEvent(socket)) {
      expect(namesOf(headers)).toEqual(FORWARDED.toSorted());
      expect(headers['x-request-id']).not.toBe('of the client');
      expect(decodeJwt(String(headers[USER_CONTEXT_HEADER])).sub).toBe('user-1');
    }
    expect(JSON.stringify(graph.news.initialised)).not.toMatch(/session=1|Bearer|a browser/);
  });

  it('G6: go on where the operator says so, whatever connection_init says', async () => {
    const payload = { 'X-Tenant': 'green', connection: 'x-tenant', 'x-shop': 'mine' };
    const socket = await stage.connect(payload, { ...sent, 'x-tenant': 'blue' });
    for (const headers of await headersOfOneEvent(socket)) {
      expect(namesOf(headers)).toEqual([...FORWARDED, 'x-tenant', 'x-shop'].toSorted());
      expect(headers).toMatchObject({ 'x-tenant': 'blue', 'x-shop': 'mine' });
    }
  });

  it('G6: among them the token, which another one in connection_init does not replace', async () => {
    const [upgrade, payload] = [
      await issuer.sign({ sub: 'of-upgrade' }),
      await issuer.sign({ sub: 'of-payload' }),
    ];
    const socket = await stage.connect(
      { authorization: `Bearer ${payload}` },
      { authorization: `Bearer ${upgrade}` },
    );
    for (const headers of await headersOfOneEvent(socket))
      expect(decodeJwt(String(headers[USER_CONTEXT_HEADER])).sub).toBe('of-upgrade');
  });

  it('nor does anything that connection_init carries', async () => {
    const payload = { ...sent, Cookie: 'session=2', 'trellis-user-context': 'forged', nested: { x: 1 } };
    for (const headers of await headersOfOneEvent(await stage.connect(payload))) {
      expect(namesOf(headers)).toEqual(FORWARDED.toSorted());
      expect(headers[USER_CONTEXT_HEADER]).not.toBe('forged');
    }
  });

  it.each([
    ['line ends', 'blue\r\nx-user-roles: ADMIN'],
    ['characters whose last bytes are line ends', 'blue\u010d\u010ax-user-roles: ADMIN'],
    ['characters that are no bytes', '€'],
    ['control characters', 'blue\u007f'],
  ])('with %s are no headers', async (_what, value) => {
    const socket = await stage.connect({ 'x-tenant': value, 'x-tenant\r\nx-evil': '1' });
    for (const headers of await headersOfOneEvent(socket))
      expect(namesOf(headers)).toEqual(FORWARDED.toSorted());
  });
});

describe('S-063 line ends in the claims of a token', () => {
  const claims = {
    sub: 'ada\r\nx-user-roles: ADMIN\r\n\r\n',
    name: 'Ada\r\nx-evil: 1',
    roles: ['VIEWER\r\nx-user-roles: ADMIN'],
    scope: 'read:data\r\nx-evil:1 read:profile',
    client_id: 'client\nx-evil: 1',
    gid: 'grant\r\nx-evil: 1',
  };

  it('make no headers of a request to a subgraph', async () => {
    const authorization = `Bearer ${await issuer.sign(claims)}`;
    const result = await gateway.post({ query: '{ user(id: "1") { name } }' }, { authorization });
    expect(result.body).toEqual({ data: { user: { name: 'User 1' } } });
    expectHarmless(graph.people.received[0]?.headers ?? {});
  });

  it('make none of a subscription', async () => {
    const socket = await stage.connect({ authorization: `Bearer ${await issuer.sign(claims)}` });
    for (const headers of await headersOfOneEvent(socket)) expectHarmless(headers);
  });

  /** What the token said is inside the signed context, as it stood there. */
  function expectHarmless(headers: Headers): void {
    expect(namesOf(headers)).toEqual(FORWARDED.toSorted());
    for (const value of Object.values(headers)) expect(value).not.toMatch(/[\r\n]/);
    const context = decodeJwt(String(headers[USER_CONTEXT_HEADER]));
    expect(context.sub).toBe(claims.sub);
    expect(context['roles']).toEqual(claims.roles);
  }

  it('make no lines of the log', async () => {
    await gateway.post(
      { query: '{ user(id: "1") { name } }' },
      { authorization: `Bearer ${await issuer.sign({ ...claims, exp: 1 })}` },
    );
    for (const record of gateway.logged()) expect(JSON.stringify(record)).not.toMatch(/[\r\n]/);
  });
});
