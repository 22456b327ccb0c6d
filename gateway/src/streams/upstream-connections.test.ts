import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { createTemporaryDirectory, createAuthority, until } from '@trellis/testkit';
import { gql } from 'graphql-tag';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { startHttpStreamSubgraph, type HttpStreamSubgraph } from '../testing/http-stream-subgraph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startSecureSubgraph, type SecureSubgraphOptions } from '../testing/secure-subgraph.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { traceHeadersOf } from './trace-headers.ts';

const files = createTemporaryDirectory();
const authority = createAuthority(files.path);
const server = authority.issue('server');
const client = authority.issue('gateway');
const TLS = `tls: { ca: "\${file.${authority.certificateFile}}", certificate: "\${file.${client.certificateFile}}", key: "\${file.${client.keyFile}}" }`;

const TYPE_DEFS = gql`
  type Query {
    best: Int
  }
  type Subscription {
    rated: Int
  }
`;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});
afterAll(() => files.remove());

async function gatewayTo(url: string, settings: string): Promise<TestGateway> {
  const gateway = await startTestGateway({
    subgraphs: [{ name: 'ratings', typeDefs: TYPE_DEFS, url } as never], // composed by its SDL
    settings,
  });
  open.push(gateway);
  return gateway;
}

async function subscribe(gateway: TestGateway): Promise<RawSocket> {
  const socket = await RawSocket.connect(`${gateway.url}/graphql`);
  open.push(socket);
  socket.subscribe('1', 'subscription { rated }');
  return socket;
}

const FIVE = { type: 'next', payload: { data: { rated: 5 } } };
const UNAVAILABLE = { type: 'error', payload: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] };

function sendEvents(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('event: next\ndata: {"data":{"rated":5}}\n\n');
  response.end('event: complete\ndata:\n\n');
}

describe('Subscriptions use the connections that are configured', () => {
  it.each<readonly [string, SecureSubgraphOptions['protocols'], string]>([
    ['http1', 'http1', '1.1'],
    ['http2', 'http2', '2.0'],
    ['auto', 'both', '1.1'],
  ])('over HTTP, protocol %s', async (protocol, protocols, httpVersion) => {
    const options = { protocols, certificate: server, clientAuthority: authority, respond: sendEvents };
    const ratings = await startSecureSubgraph(options);
    open.push(ratings);
    const settings = `
      subscriptions: { transport: sse }
      subgraphConnections: { protocol: ${protocol}, ${TLS} }
      headers: { subgraphs: { ratings: { set: { authorization: Bearer of-the-gateway } } } }`;
    const socket = await subscribe(await gatewayTo(ratings.url, settings.replaceAll('\n      ', '\n')));
    expect(await socket.next()).toMatchObject(FIVE);
    expect(await socket.next()).toMatchObject({ type: 'complete' });
    const headers = { authorization: 'Bearer of-the-gateway' };
    expect(ratings.requests).toMatchObject([{ httpVersion, client: 'gateway', headers }]);
  });

  it('over WebSocket, whose upgrade has the fixed headers', async () => {
    const ratings = await startSecureSubgraph({
      protocols: 'http1',
      certificate: server,
      clientAuthority: authority,
    });
    open.push(ratings);
    const upgrades: unknown[] = [];
    const sockets = new WebSocketServer({ server: ratings.server as Server });
    sockets.on('connection', (socket, request) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      upgrades.push([subject.CN, request.headers.authorization]);
      socket.on('message', (data) => {
        const { type, id } = JSON.parse((data as Buffer).toString()) as { type: string; id?: string };
        if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
        if (type === 'subscribe') socket.send(JSON.stringify({ ...FIVE, id }));
      });
    });
    const settings = `subgraphConnections: { ${TLS} }\nheaders: { set: { Authorization: Bearer of-the-gateway } }`;
    const socket = await subscribe(await gatewayTo(ratings.url, settings));
    expect(await socket.next()).toMatchObject(FIVE);
    expect(upgrades).toEqual([['gateway', 'Bearer of-the-gateway']]);
  });

  it('the log says why a TLS connection failed', async () => {
    const ratings = await startSecureSubgraph({ protocols: 'http1', certificate: server });
    open.push(ratings);
    const gateway = await gatewayTo(ratings.url, 'subscriptions: { transport: sse }');
    await subscribe(gateway);
    await until(
      () => JSON.stringify(gateway.logged()).includes('No authority that the gateway trusts'),
      'the log says why',
    );
  });
});

describe('Subscriptions over HTTP count in the circuit breaker of the subgraph', () => {
  const settings = `
subscriptions: { transport: sse }
traffic: { breaker: { minRequests: 1, sleepMs: 400 } }`;

  async function broken(): Promise<HttpStreamSubgraph> {
    const subgraph = await startHttpStreamSubgraph();
    open.push(subgraph);
    subgraph.onPost = ({ response }) => response.writeHead(503).end();
    return subgraph;
  }

  it('one that fails opens it, for queries as well, and one that succeeds closes it', async () => {
    const subgraph = await broken();
    const gateway = await gatewayTo(subgraph.url, settings);
    const socket = await subscribe(gateway);
    const logged = (msg: string): boolean => gateway.logged().some((record) => record['msg'] === msg);
    await until(() => logged('circuit breaker opened'), 'it opens');
    const { body } = await gateway.post({ query: '{ best }' });
    expect(body.errors?.[0]?.extensions['code']).toBe('INTERNAL_SERVER_ERROR');
    subgraph.onPost = ({ response }) => sendEvents(response.req, response);
    expect(await socket.next()).toMatchObject(FIVE);
    await until(() => logged('circuit breaker closed'), 'it closes');
  });

  it('while it is open, a subscription waits and then fails', async () => {
    const subgraph = await broken();
    const gateway = await gatewayTo(subgraph.url, settings.replace('sleepMs: 400', 'sleepMs: 60000'));
    const socket = await subscribe(gateway);
    expect(await socket.next()).toMatchObject(UNAVAILABLE);
    expect(subgraph.posted.length).toBeLessThan(20);
  });
});

describe('W3C Trace Context §3.2: what carries a trace on to a subscription', () => {
  it.each([
    [1, '01'],
    [0, '00'],
    [3, '01'],
  ])('with flags %d', (traceFlags, flags) => {
    const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags };
    expect(traceHeadersOf(span)).toEqual({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}` });
  });

  it('of the client, over the operation that began the stream', async () => {
    const subgraph = await startHttpStreamSubgraph();
    open.push(subgraph);
    const tracing = "telemetry: { tracing: { endpoint: 'http://127.0.0.1:9/v1/traces' } }";
    const gateway = await gatewayTo(subgraph.url, `subscriptions: { transport: sse }\n${tracing}`);
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    const socket = await RawSocket.connect(`${gateway.url}/graphql`, {}, { headers: { traceparent } });
    open.push(socket);
    socket.subscribe('1', 'subscription { rated }');
    await until(() => subgraph.posted.length > 0, 'the subgraph is asked');
    const sent = subgraph.posted[0]?.headers['traceparent'];
    expect(sent).toMatch(/^00-1{32}-[\da-f]{16}-01$/);
    expect(sent).not.toBe(traceparent);
  });

  it('where nothing is traced, nothing', () => {
    expect(traceHeadersOf(undefined)).toEqual({});
  });
});
