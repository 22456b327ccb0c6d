import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentedSettings, type DocumentedSetting } from '../settings/describe-setting.ts';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startTestGateway, type GatewayResponse, type TestGateway } from '../testing/test-gateway.ts';
import { settingTable } from '../settings/settings.ts';

const IN_FORCE = 'configuration reloaded';
const NEED_RESTART = 'changes of these settings need a restart';

let graph: LibraryGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  gateway = await startTestGateway({ subgraphs: graph.all, settings: '{}' });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

const reload = (settings: object): Promise<void> => gateway.reload(settings);

/** The keys of the newest warning that a restart is needed. */
function needRestart(): unknown {
  return gateway.logged().findLast(({ msg }) => msg === NEED_RESTART)?.['settings'];
}

/** Settings with one value at a key. */
function settingsWith(key: string, value: unknown): object {
  return key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
}

function merged(...all: readonly object[]): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const one of all)
    for (const [name, value] of Object.entries(one)) {
      const known = whole[name];
      const isDeeper = typeof known === 'object' && typeof value === 'object' && !Array.isArray(value);
      whole[name] = isDeeper ? merged(known as object, value as object) : (value as unknown);
    }
  return whole;
}

/** Another value than the default, for what can be changed by itself. */
function otherValue({ setting, key }: DocumentedSetting): unknown {
  if (key.includes('<') || key.includes('[') || key.startsWith('responseCache.')) return undefined;
  if (key === 'authentication.required') return undefined; // needs an issuer
  if (setting.type === 'flag') return key !== 'introspection' && key !== 'registry.aborts'; // they are on by default
  if (setting.type === 'int') return setting.max === undefined ? 77_777 : setting.max;
  if (setting.type === 'number') return setting.min + 0.02;
  if (setting.type === 'flag-or-list') return ['10.0.0.0/8'];
  if (key === 'authentication.clientCertificate.header') return 'x-cert';
  if (key === 'authentication.clientCertificate.format') return 'rfc9440';
  if (key === 'subscriptions.callback.listen') return '127.0.0.1:4005';
  if (key === 'telemetry.tracing.endpoint') return 'http://127.0.0.1:1/v1/traces';
  if (key === 'telemetry.tracing.headers') return { a: 'b' };
  if (key === 'registry.graph') return 'content@production';
  if (key === 'registry.source' || key === 'registry.trust') return 'a'; // the gateway follows none: SUPERGRAPH is a file
  return key === 'http.cors.origins' ? ['https://a.example'] : undefined;
}

/** Valid together with the others. */
const RATES = {
  perAddress: { operations: 77_777, windowS: 60 },
  perUser: { operations: 77_777, windowS: 60 },
  perClient: { operations: 77_777, windowS: 60 },
};

const changes = documentedSettings(settingTable).flatMap((one) => {
  const value = otherValue(one);
  return value === undefined ? [] : [{ ...one, value }];
});
const restart = changes.filter(({ reload: when }) => when === 'restart');
const applied = changes.filter(({ reload: when }) => when !== 'restart');

describe('A changed gateway.yaml', () => {
  it('is logged by the keys that need a restart', async () => {
    const reached = settingsWith('subscriptions.callback.publicUrl', 'http://gateway.internal/'); // without that, the file is not valid
    await reload(merged(reached, ...restart.map(({ key, value }) => settingsWith(key, value))));
    const keys = restart.map(({ key }) => key);
    expect(needRestart()).toEqual(keys);
    expect(new Set(keys)).toEqual(new Set(RESTART_KEYS));
  });

  it('needs a restart for few keys, each of which says why', () => {
    const keys = documentedSettings(settingTable).filter(({ reload: when }) => when === 'restart');
    expect(keys.map(({ key }) => key)).toEqual(RESTART_KEYS);
    expect(keys.every(({ needsRestart }) => needsRestart.endsWith('.'))).toBe(true);
  });

  it('needs no restart for any other key', async () => {
    const warnings = (): number => gateway.logged().filter(({ msg }) => msg === NEED_RESTART).length;
    const before = warnings();
    await reload({
      ...merged(...applied.map(({ key, value }) => settingsWith(key, value))),
      rateLimits: RATES,
    });
    expect(applied.length).toBeGreaterThan(60);
    expect(warnings()).toBe(before);
    expect((await gateway.post({ query: '{ public }' })).body.data).toEqual({ public: expect.any(String) });
  });
});

/** The address at which a process listens for subgraphs. */
const RESTART_KEYS = ['subscriptions.callback.listen'];

/** A request that exceeds a limit of 3. */
const BEYOND: Readonly<Record<string, unknown>> = {
  depth: { query: '{ people { friends { friends { id } } } }' },
  aliases: { query: '{ a: public b: public c: public d: public }' },
  rootFields: { query: '{ public me { id } fail echo }' },
  directives: {
    query: '{ public @skip(if: false) @include(if: true) fail @skip(if: false) @include(if: true) }',
  },
  cost: { query: '{ people(limit: 9) { id } }' },
  tokens: { query: '{ public fail }' },
  selections: { query: '{ public fail echo __typename }' },
  variables: { query: 'query ($v: [Int!]) { echo(list: $v) }', variables: { v: [1, 2, 3, 4, 5] } },
  batch: [1, 2, 3, 4].map(() => ({ query: '{ public }' })),
};

describe('A changed limit', () => {
  const limitOf = ({ body, bodies }: GatewayResponse): unknown =>
    (Array.isArray(bodies) ? bodies[0] : body)?.errors?.[0]?.extensions['limit'];

  it.each(Object.entries(BEYOND))('%s holds at once', async (name, request) => {
    await reload({ limits: { [name]: 3 } });
    expect(limitOf(await gateway.post(request))).toMatchObject({ name, maximum: 3 });
    await reload({});
    expect(limitOf(await gateway.post(request))).toBeUndefined();
  });
});

describe('Another changed setting', () => {
  const slow = { query: '{ people { name } }' };

  it('timeouts.requestMs holds at once', async () => {
    await reload({ timeouts: { requestMs: 1 } });
    const { body } = await gateway.post(slow);
    expect(body.errors?.[0]?.extensions['code']).toBe('GATEWAY_TIMEOUT');
    await reload({});
    expect((await gateway.post(slow)).body.errors).toBeUndefined();
  });

  it('limits.bodyBytes holds at once: on the fast path, on the slow one, declared or not', async () => {
    const large = JSON.stringify({ query: `{ public } #${'x'.repeat(3_000)}` });
    const headers = { 'content-type': 'application/json' };
    const statuses = async (): Promise<readonly unknown[]> => {
      const send = (extra: object): Promise<Response> =>
        fetch(`${gateway.url}/graphql`, { method: 'POST', headers: { ...headers, ...extra }, body: large });
      const whole = await send({});
      const bySlowPath = await send({ 'accept-encoding': 'gzip', dpop: 'none' });
      const chunked = { method: 'POST', headers, body: new Blob([large]).stream(), duplex: 'half' } as const;
      const inChunks = await fetch(`${gateway.url}/graphql`, chunked);
      const code = (await whole.json()) as { errors?: readonly { extensions: { code: string } }[] };
      return [whole.status, bySlowPath.status, inChunks.status, code.errors?.[0]?.extensions.code];
    };
    await reload({ limits: { bodyBytes: 2_000 } });
    expect(await statuses()).toEqual([413, 413, 413, 'PAYLOAD_TOO_LARGE']);
    await reload({ limits: { bodyBytes: 5_000 } });
    expect(await statuses()).toEqual([200, 200, 200, undefined]);
    await reload({});
  });

  it('http.compression holds at once', async () => {
    const encoding = async (): Promise<string | null> =>
      (await gateway.post(slow, { 'accept-encoding': 'gzip' })).headers.get('content-encoding');
    await reload({ http: { compression: { minBytes: 1 } } });
    expect(await encoding()).toBe('gzip');
    await reload({ http: { compression: false } });
    expect(await encoding()).toBeNull();
  });

  it('http.cors holds at once, on the fast path, for preflights and for WebSockets', async () => {
    const origin = 'https://a.example';
    const ask = async (method: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(`${gateway.url}/graphql`, {
        method,
        headers,
        ...(method === 'POST' && { body: '{"query":"{ public }"}' }),
      });
    const fromPage = { origin, 'content-type': 'application/json' };
    const seen = async (): Promise<readonly unknown[]> => {
      const own = await ask('POST', { 'content-type': 'application/json' });
      const page = await ask('POST', fromPage);
      const preflight = await ask('OPTIONS', { origin, 'access-control-request-method': 'POST' });
      const socket = new RawSocket(`${gateway.url}/graphql`, { headers: { origin } });
      const isOpened = await Promise.race([
        socket.opened().then(() => true),
        socket.closed.then(() => false),
      ]).catch(() => false);
      socket.close();
      return [
        own.headers.get('vary'),
        page.headers.get('access-control-allow-origin'),
        preflight.status,
        preflight.headers.get('access-control-max-age'),
        preflight.headers.get('access-control-allow-credentials'),
        isOpened,
      ];
    };
    await reload({ http: { cors: { origins: [origin], credentials: true, maxAgeS: 7 } } });
    expect(await seen()).toEqual(['Origin', origin, 204, '7', 'true', true]);
    await reload({ http: { cors: { origins: ['https://b.example'], maxAgeS: 8 } } });
    expect(await seen()).toEqual(['Origin', null, 405, null, null, false]);
    await reload({ http: { cors: { origins: ['*'], maxAgeS: 9 } } });
    expect(await seen()).toEqual([null, '*', 204, '9', null, true]);
    await reload({});
  });

  it('of a file that a value names holds at once', async () => {
    const token = join(gateway.directory, 'token');
    writeFileSync(token, 'first');
    await reload({ headers: { set: { 'x-token': '${file.token}' } } });
    const reloads = (): number => gateway.logged().filter(({ msg }) => msg === IN_FORCE).length;
    const before = reloads();
    writeFileSync(token, 'the second one');
    await expect.poll(reloads).toBe(before + 1);
    await reload({});
  });

  it('http.maxConnections holds for new connections', async () => {
    await reload({ http: { maxConnections: 1, maxConnectionsPerAddress: 1 } });
    const responses = await Promise.allSettled(
      [1, 2, 3].map(() => fetch(`${gateway.url}/graphql?query={public}`)),
    );
    const rejected = responses.filter(
      (one) => one.status === 'rejected' || [429, 503].includes(one.value.status),
    );
    expect(rejected).not.toEqual([]);
    await reload({});
  });
});
