import { sendRaw } from '../send-raw.ts';
import { readGatewayResponse, type GatewayResponse } from '../test-gateway.ts';
import { outcomeAfter, outcomeOf, rowsBelow, type LiveRow, type LiveRows } from './live-row.ts';
import { SLOW_MS } from './reload-graph.ts';
import type { ReloadWorld } from './reload-world.ts';

const preflight: LiveRow['see'] = async ({ gateway }) => {
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
  const { status, headers: sent } = await fetch(`${gateway.url}/graphql`, { method: 'OPTIONS', headers });
  return [status, sent.get('access-control-allow-credentials'), sent.get('access-control-max-age')];
};

const forHost =
  (host: string): LiveRow['see'] =>
  async ({ gateway }) =>
    (await sendRaw(gateway, { host, 'content-type': 'application/json' }, '{"query":"{ open }"}')).status;

const shown: LiveRow['see'] = async ({ ask }) => Object.keys((await ask('{ open }')).body.extensions ?? {});

async function upload({ gateway }: ReloadWorld): Promise<string> {
  const form = new FormData();
  const query = 'mutation ($files: [Upload]) { upload(files: $files) }';
  form.append('operations', JSON.stringify({ query, variables: { files: [null, null] } }));
  form.append('map', JSON.stringify({ a: ['variables.files.0'], b: ['variables.files.1'] }));
  for (const name of ['a', 'b']) form.append(name, new Blob(['x'.repeat(100)]), `${name}.txt`);
  const headers = { 'apollo-require-preflight': 'true' };
  const response = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body: form });
  return outcomeOf(await readGatewayResponse(response));
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

const deferredParts: LiveRow['see'] = async ({ gateway }) => {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'multipart/mixed;deferSpec=20220824', 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ thing { id ... @defer { slowNote } } }' }),
  });
  return (await response.text()).split('content-type').length > 3;
};

/** What clients meet: time-outs, pages, HTTP, uploads, traces, and what stands beside the data. */
export function transportRows(world: ReloadWorld): LiveRows {
  const cors = { http: { cors: { origins: ['https://a.example'] } } };
  const brief = async ({ ask }: ReloadWorld): Promise<GatewayResponse> =>
    ask('{ open }', { 'accept-encoding': 'gzip' });
  return {
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
    introspection: { from: true, to: false, see: outcomeAfter('{ __schema { queryType { name } } }') },
    onError: { to: 'NULL', see: async ({ ask }) => (await ask('{ sure open }')).body.data },
    'pages.enabled': { from: true, to: false, see: landingPage },
    'pages.title': { to: 'The desk', see: landingPage },
    'pages.clientId': { to: 'the-desk', see: explorer },
    'pages.scopes': { to: ['openid', 'desk'], see: explorer },
    'pages.examples': { to: world.examples, see: explorer },
    'pages.errorReference': { to: 'http://docs.example/errors.html', see: explorer },
    'pages.links': { to: { console: 'http://console.example/' }, see: landingPage },
    'http.trustProxy': {
      beside: { rateLimits: { perAddress: { operations: 1, windowS: 600 } } },
      to: true,
      see: fromTwoAddresses,
    },
    'http.hosts': { from: ['a.example'], to: ['b.example'], see: forHost('b.example') },
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
    'timeouts.requestMs': { to: SLOW_MS / 4, see: outcomeAfter('{ slow }') },
    'timeouts.heartbeatMs': { to: SLOW_MS / 4, see: deferredParts },
    'uploads.files': { beside: UPLOADS, from: 5, to: 1, see: upload },
    'uploads.fileBytes': { beside: UPLOADS, to: 10, see: upload },
    'uploads.partBytes': { beside: UPLOADS, to: 10, see: upload },
  };
}
