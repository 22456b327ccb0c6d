import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { RawSocket } from '../raw-socket.ts';
import { readResponse, startTestGateway, type GraphResponse } from '../test-gateway.ts';
import { until } from '../until.ts';
import { outcomeOf, rowsBelow, type LiveRow, type LiveRows } from './live-row.ts';
import { SLOW_MS } from './reload-graph.ts';
import type { ReloadWorld } from './reload-world.ts';

const outcome =
  (query: string): LiveRow['see'] =>
  async ({ ask }) =>
    outcomeOf(await ask(query));

const preflight: LiveRow['see'] = async ({ gateway }) => {
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
  const { status, headers: sent } = await fetch(`${gateway.url}/graphql`, { method: 'OPTIONS', headers });
  return [status, sent.get('access-control-allow-credentials'), sent.get('access-control-max-age')];
};

const limits: LiveRows = {
  depth: { to: 1, see: outcome('{ thing { id } }') },
  aliases: { to: 1, see: outcome('{ a: open b: open }') },
  rootFields: { to: 1, see: outcome('{ open long }') },
  directives: { to: 1, see: outcome('{ open @skip(if: false) @include(if: true) }') },
  cost: { to: 1, see: outcome('{ open long }') },
  subgraphCalls: { to: 1, see: outcome('{ thing { note } }') },
  tokens: { to: 3, see: outcome('{ open long }') },
  selections: { to: 1, see: outcome('{ open long }') },
  variables: {
    to: 1,
    see: async ({ gateway }) => {
      const query = 'query ($list: [Int!]) { echo(list: $list) }';
      return outcomeOf(await gateway.post({ query, variables: { list: [1, 2, 3] } }));
    },
  },
  batch: {
    to: 1,
    see: async ({ gateway }) => (await gateway.post([{ query: '{ open }' }, { query: '{ long }' }])).status,
  },
  bodyBytes: { to: 100, see: outcome(`{ open } # ${'x'.repeat(200)}\n`) },
  responseCharacters: { to: 1_000, see: outcome('{ long }') },
  bidiControls: { to: true, see: outcome('{ echo(text: "\u{202E}") }') },
};

/** What one number of an estimate comes to. */
const estimate =
  (query: string): LiveRow['see'] =>
  async ({ ask }) =>
    (await ask(query)).body.extensions?.['cost'];

const SHOWS_COST = { extensions: { cost: true } };

const cost: LiveRows = {
  field: { beside: SHOWS_COST, to: 5, see: estimate('{ open }') },
  types: { beside: SHOWS_COST, to: { Thing: 50 }, see: estimate('{ thing { id } }') },
  slicingArguments: { beside: SHOWS_COST, to: ['some'], see: estimate('{ things(some: 70) { id } }') },
  omittedSlice: { beside: SHOWS_COST, to: 90, see: estimate('{ things { id } }') },
  listSize: {
    beside: { ...SHOWS_COST, cost: { slicingArguments: [] } },
    to: 90,
    see: estimate('{ things { id } }'),
  },
};

const shown: LiveRow['see'] = async ({ ask }) => Object.keys((await ask('{ open }')).body.extensions ?? {});

/** What comes over a WebSocket within a moment. */
async function framesAfter(
  { gateway }: ReloadWorld,
  ms: number,
  use: (socket: RawSocket) => void,
  payload?: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const socket = await RawSocket.connect(`${gateway.url}/graphql`, payload);
  use(socket);
  await pause(ms);
  socket.close();
  await socket.closed;
  return socket.frames.map(({ type }) => type);
}

const twoStreams =
  (query: string): LiveRow['see'] =>
  async (world) => {
    const frames = await framesAfter(world, 60, (socket) => {
      for (const id of ['1', '2']) socket.subscribe(id, query);
    });
    return frames.filter((type) => type === 'error').length;
  };

/** Whether a live query is resolved more than once within a moment. */
const ticks =
  (query: string): LiveRow['see'] =>
  async (world) => {
    world.graph.desk.forget();
    await framesAfter(world, 120, (socket) => socket.subscribe('1', query));
    return world.graph.desk.received.length > 1;
  };

const heartbeats: LiveRow['see'] = async ({ gateway }) => {
  const leaving = new AbortController();
  const response = await fetch(`${gateway.url}/graphql/stream`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'subscription { published { id } }' }),
    signal: leaving.signal,
  });
  setTimeout(() => leaving.abort(), 350);
  let text = '';
  try {
    for await (const chunk of response.body ?? [])
      text += Buffer.from(chunk as Uint8Array).toString('latin1');
  } catch {
    // it was left
  }
  return text.split(':\n\n').length > 2;
};

/** Whether a subscription goes on when its upstream has broken. */
const gap: LiveRow['see'] = async ({ gateway, graph: { news } }) => {
  const socket = await RawSocket.connect(`${gateway.url}/graphql`);
  socket.subscribe('1', 'subscription { published { id } }');
  await until(() => news.open() === 1);
  news.breakSockets();
  await until(() => news.open() === 0);
  await until(() => news.open() === 1 || socket.frames.length > 0);
  const [frame] = socket.frames;
  socket.close();
  await until(() => news.open() === 0);
  return frame?.type;
};

/** Whether a query that runs on a WebSocket is answered while its gateway is stopped. */
const drained: LiveRow['see'] = async ({ graph }, settings) => {
  const gateway = await startTestGateway({ subgraphs: graph.all, settings: '{}' });
  await gateway.reload(settings);
  const socket = await RawSocket.connect(`${gateway.url}/graphql`);
  graph.desk.forget();
  socket.subscribe('1', '{ slow(ms: 600) }');
  await until(() => graph.desk.received.length === 1);
  await gateway.close();
  return socket.frames.map(({ type }) => type);
};

function referenceTo(query: string): { readonly persistedQuery: { version: 1; sha256Hash: string } } {
  return { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') } };
}

/** Sends a text with its hash, and then the hash alone. */
const stored =
  (between: (world: ReloadWorld, key: string) => Promise<unknown> = async () => undefined): LiveRow['see'] =>
  async (world) => {
    const query = `{ open } # ${world.next()} ${'-'.repeat(100)}`;
    const extensions = referenceTo(query);
    await world.gateway.post({ query: '{ open }', extensions: referenceTo('{ open }') }); // it may leave nothing for more
    await world.gateway.post({ query, extensions });
    await pause(20);
    const seen = await between(world, `persisted-query:${extensions.persistedQuery.sha256Hash}`);
    return [outcomeOf(await world.gateway.post({ extensions })), seen];
  };

const SAFELIST = { persistedQueries: { mode: 'safelist', manifests: ['open.json'] } };

const textsFor =
  (headers: Readonly<Record<string, string>>): LiveRow['see'] =>
  async ({ gateway }) => {
    const both = [
      await gateway.post({ query: '{ open }' }, headers),
      await gateway.post({ query: '{ long }' }, headers),
    ];
    return both.map(outcomeOf);
  };

const texts = textsFor({});

const persistedQueries: LiveRows = {
  mode: { to: 'off', see: stored() },
  manifests: { beside: SAFELIST, from: ['open.json'], to: ['long.json'], see: texts },
  'clients.<name>.manifests': {
    beside: SAFELIST,
    from: ['open.json'],
    to: ['long.json'],
    see: textsFor({ 'graphql-client-name': 'desk' }),
  },
  enforce: { beside: SAFELIST, to: false, see: texts },
  textBytes: { to: 10, see: stored() },
  memoryBytes: { to: 1, see: stored(({ redis }, key) => redis.del(key)) },
  lifetimeS: { to: 60, see: stored(async ({ redis }, key) => (await redis.ttl(key)) > 60) },
  perCallerHour: { to: 1, see: stored() },
};

async function upload({ gateway }: ReloadWorld): Promise<string> {
  const form = new FormData();
  const query = 'mutation ($files: [Upload]) { upload(files: $files) }';
  form.append('operations', JSON.stringify({ query, variables: { files: [null, null] } }));
  form.append('map', JSON.stringify({ a: ['variables.files.0'], b: ['variables.files.1'] }));
  for (const name of ['a', 'b']) form.append(name, new Blob(['x'.repeat(100)]), `${name}.txt`);
  const headers = { 'apollo-require-preflight': 'true' };
  const response = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body: form });
  return outcomeOf(await readResponse(response));
}

const UPLOADS = { uploads: { files: 5 } };

const TRACED: LiveRow['see'] = async ({ ask, graph: { desk } }) => {
  desk.forget();
  await ask('{ open }');
  return desk.received[0]?.headers['traceparent']?.toString().slice(-2);
};

function tracing({ recorder }: ReloadWorld): LiveRows {
  const endpoint = `${recorder.url}/v1/traces`;
  return {
    endpoint: { to: endpoint, see: TRACED },
    sampleRatio: { beside: { telemetry: { tracing: { endpoint } } }, to: 0, see: TRACED },
    headers: {
      beside: { telemetry: { tracing: { endpoint } } },
      to: { 'x-collector': 'secret' },
      see: async ({ ask, inside }) => {
        recorder.received.splice(0);
        await ask('{ open }');
        await inside().resources.tracing.current?.close(); // sends what is left
        return recorder.received.map(({ headers }) => headers['x-collector']);
      },
    },
  };
}

const fromTwoAddresses: LiveRow['see'] = async ({ ask, redis }) => {
  const counted = await redis.keys('rate:*');
  if (counted.length > 0) await redis.del(...counted);
  const outcomes: string[] = [];
  for (const address of ['203.0.113.7', '198.51.100.7'])
    outcomes.push(outcomeOf(await ask('{ open }', { 'x-forwarded-for': address })));
  return outcomes;
};

const landingPage: LiveRow['see'] = async ({ gateway }) => {
  const response = await fetch(gateway.url, { headers: { accept: 'text/html' } });
  return (await response.text()).replaceAll(/nonce[^ >]*/g, '');
};

const explorer: LiveRow['see'] = async ({ gateway }) => {
  const response = await fetch(`${gateway.url}/explorer`, { headers: { accept: 'text/html' } });
  return (await response.text()).replaceAll(/nonce="[^"]*"/g, '');
};

const fromPayload: LiveRow['see'] = async (world) => {
  world.graph.desk.forget();
  await framesAfter(world, 60, (socket) => socket.subscribe('1', '{ open }'), {
    'x-tenant': 'of the payload',
  });
  return world.graph.desk.received[0]?.headers['x-tenant'];
};

const deferredParts: LiveRow['see'] = async ({ gateway }) => {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'multipart/mixed;deferSpec=20220824', 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ thing { id ... @defer { slowNote } } }' }),
  });
  return (await response.text()).split('content-type').length > 3;
};

/** What clients meet: limits, time-outs, transports, and what stands beside the data. */
export function transportRows(world: ReloadWorld): LiveRows {
  const cors = { http: { cors: { origins: ['https://a.example'] } } };
  const brief = async ({ ask }: ReloadWorld): Promise<GraphResponse> =>
    ask('{ open }', { 'accept-encoding': 'gzip' });
  return {
    ...rowsBelow('limits', limits),
    ...rowsBelow('cost', cost),
    ...rowsBelow('persistedQueries', persistedQueries),
    ...rowsBelow('telemetry.tracing', tracing(world)),
    'extensions.onRequest': {
      from: true,
      to: false,
      see: async ({ ask }) =>
        Object.keys((await ask('{ open }', { 'trellis-explain': 'estimate' })).body.extensions ?? {}),
    },
    'extensions.cost': { to: true, see: shown },
    'extensions.plan': { to: true, see: shown },
    'extensions.timings': { to: true, see: shown },
    introspection: { from: true, to: false, see: outcome('{ __schema { queryType { name } } }') },
    onError: { to: 'NULL', see: async ({ ask }) => (await ask('{ sure open }')).body.data },
    'pages.enabled': { from: true, to: false, see: landingPage },
    'pages.title': { to: 'The desk', see: landingPage },
    'pages.clientId': { to: 'the-desk', see: explorer },
    'pages.scopes': { to: ['openid', 'desk'], see: explorer },
    'pages.examples': { to: world.examples, see: explorer },
    'pages.errorReference': { to: 'http://docs.example/errors.html', see: explorer },
    'pages.links': { to: { console: 'http://console.example/' }, see: landingPage },
    'headers.fromPayload': {
      beside: { headers: { forward: ['x-tenant'] } },
      to: ['x-tenant'],
      see: fromPayload,
    },
    'http.trustProxy': {
      beside: { rateLimits: { perAddress: { operations: 1, windowS: 600 } } },
      to: true,
      see: fromTwoAddresses,
    },
    'http.cors.origins': {
      beside: cors,
      from: ['https://a.example'],
      to: ['https://b.example'],
      see: preflight,
    },
    'http.cors.credentials': { beside: cors, to: true, see: preflight },
    'http.cors.maxAgeS': { beside: cors, to: 7, see: preflight },
    'http.compression.minBytes': {
      to: 1,
      see: async (one) => (await brief(one)).headers.get('content-encoding'),
    },
    'timeouts.requestMs': { to: SLOW_MS / 4, see: outcome('{ slow }') },
    'timeouts.heartbeatMs': { to: SLOW_MS / 4, see: deferredParts },
    'live.intervalMs': { beside: { live: { minIntervalMs: 1 } }, to: 20, see: ticks('query @live { open }') },
    'live.minIntervalMs': { to: 1, see: ticks('query @live(throttle: 1) { open }') },
    'live.maxIntervalMs': {
      beside: { live: { minIntervalMs: 1 } },
      to: 20,
      see: ticks('query @live(throttle: 100000) { open }'),
    },
    'live.maxPerUser': { to: 1, see: twoStreams('query @live { open }') },
    'subscriptions.maxPerUser': { to: 1, see: twoStreams('subscription { published { id } }') },
    'subscriptions.afterGap': { from: 'end', to: 'continue', see: gap },
    'subscriptions.heartbeatMs': { to: 100, see: heartbeats },
    'subscriptions.drainMs': { to: 1, see: drained },
    'uploads.files': { beside: UPLOADS, from: 5, to: 1, see: upload },
    'uploads.fileBytes': { beside: UPLOADS, to: 10, see: upload },
    'uploads.partBytes': { beside: UPLOADS, to: 10, see: upload },
  };
}
