import { constants, type Http2Server, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import { gql } from 'graphql-tag';
import { until } from '@trellis/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { fillIn } from '../../settings/fill-in.ts';
import { settingTable } from '../../settings/settings.ts';
import {
  startSecureSubgraph,
  type SecureSubgraph,
  type SecureSubgraphOptions,
} from '../../testing/secure-subgraph.ts';
import { startSubgraph } from '../../testing/subgraph-server.ts';
import { SubgraphConnections } from '../connections/subgraph-connections.ts';
import { createSubgraphClient, type SubgraphRequest, type SubgraphResponse } from '../subgraph-client.ts';

const TYPE_DEFS = gql`
  type Query {
    best: Int
  }
`;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

interface Asking {
  readonly ratings: SecureSubgraph;
  readonly send: (more?: Partial<SubgraphRequest>) => Promise<SubgraphResponse>;
}

async function client(respond: SecureSubgraphOptions['respond'], maxResponseBytes?: number): Promise<Asking> {
  const ratings = await startSecureSubgraph({ protocols: 'h2c', ...(respond && { respond }) });
  open.push(ratings);
  const settings = fillIn(settingTable, { subgraphConnections: { protocol: 'http2' } });
  const bounds = { maxConnections: 2, connectTimeoutMs: 1_000 };
  const connections = new SubgraphConnections(settings.subgraphConnections, bounds);
  open.push(connections);
  const made = createSubgraphClient({ connections, timeoutMs: 500, maxResponseBytes });
  const { signal } = new AbortController();
  const request = {
    subgraph: 'ratings',
    url: ratings.url,
    body: '{}',
    headers: {},
    isMutation: false,
    signal,
  };
  return { ratings, send: (more = {}) => made.send({ ...request, ...more }) };
}

describe('A request over HTTP/2 is held to what HTTP/1.1 is', () => {
  it('many requests share a session, and a large body comes whole', async () => {
    const body = 'x'.repeat(500_000);
    const { send: ask, ratings } = await client((_request, response) => void response.end(body));
    let sessions = 0;
    ratings.server.on('session', () => (sessions += 1));
    const responses = await Promise.all(Array.from({ length: 5 }, () => ask({ timeoutMs: 10_000 })));
    expect(responses.map((response) => response.body.length)).toEqual(Array(5).fill(body.length));
    expect(sessions).toBe(1);
  });

  it('one that has no response in time fails, and its stream is cancelled', async () => {
    let isCancelled = false;
    const { send: ask } = await client((request) => void request.once('aborted', () => (isCancelled = true)));
    await expect(ask()).rejects.toMatchObject({ kind: 'timeout' });
    await until(() => isCancelled, 'the stream is cancelled');
  });

  it('one that is aborted ends with the reason of its signal', async () => {
    const { send: ask } = await client(() => undefined);
    const reason = new Error('The client disconnected.');
    await expect(ask({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const ending = new AbortController();
    const sent = ask({ signal: ending.signal });
    setTimeout(() => ending.abort(reason), 50);
    await expect(sent).rejects.toBe(reason);
  });

  it('a response that is too large, or redirects, fails', async () => {
    const large = await client((_request, response) => void response.end('x'.repeat(2_000)), 1_000);
    await expect(large.send()).rejects.toMatchObject({ kind: 'too-large' });
    const elsewhere = await client((_request, response) => {
      response.writeHead(302, { location: '/' }).end();
    });
    await expect(elsewhere.send()).rejects.toMatchObject({ kind: 'redirect' });
  });

  it('a stream that breaks is a subgraph that can not be reached, and the session goes on', async () => {
    let asked = 0;
    const { send: ask } = await client((_request, response) => {
      asked += 1;
      if (asked > 1) response.end('{}');
      else {
        response.writeHead(200).write('{"da');
        (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      }
    });
    await expect(ask()).rejects.toMatchObject({ kind: 'unreachable' });
    expect((await ask()).status).toBe(200);
  });

  it('a session that the subgraph closes is replaced', async () => {
    const { send: ask, ratings } = await client(undefined);
    const sessions: ServerHttp2Session[] = [];
    (ratings.server as Http2Server).on('session', (session) => void sessions.push(session));
    expect((await ask()).status).toBe(200);
    sessions[0]?.close();
    await until(() => sessions[0]?.destroyed ?? false, 'the session has ended');
    // A request that meets the closing fails: what was sent is not sent twice.
    const isServed = async (): Promise<boolean> => (await ask().catch(() => undefined))?.status === 200;
    await until(isServed, 'another session has opened');
    expect(sessions).toHaveLength(2);
  });

  it('fields of the connection and of the message are not passed on', async () => {
    const fields = [
      'connection',
      'content-length',
      'expect',
      'http2-settings',
      'keep-alive',
      'proxy-authenticate',
      'proxy-authentication-info',
      'proxy-authorization',
      'proxy-connection',
      'te',
      'trailer',
      'transfer-encoding',
      'upgrade',
    ];
    const seen: string[] = [];
    const { send: ask } = await client((request, response) => {
      seen.push(...Object.keys(request.headers));
      response.end('{}');
    });
    await ask({ headers: { ...Object.fromEntries(fields.map((name) => [name, 'a'])), 'x-a': 'b' } });
    expect(seen).toContain('x-a');
    expect(seen.filter((name) => fields.includes(name))).toEqual([]);
  });

  it('a header that is none is the fault of the request', async () => {
    const { send: ask } = await client(undefined);
    await expect(ask({ headers: { 'x-a': 'b\r\nc' } })).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('a server of HTTP/1.1 can not be reached', async () => {
    const plain = await startSubgraph({ name: 'ratings', typeDefs: TYPE_DEFS, resolvers: {} });
    open.push(plain);
    const { send: ask } = await client(undefined);
    await expect(ask({ url: plain.url })).rejects.toMatchObject({ kind: 'unreachable' });
  });
});
