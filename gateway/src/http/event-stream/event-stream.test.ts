import { createClient } from 'graphql-sse';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let graph: EventGraph;
let gateway: TestGateway;
let address: string;
const controllers: AbortController[] = [];

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    settings: 'subscriptions: { webSocket: { maxConnectionsPerUser: 2, maxOperations: 2 } }',
  });
  address = `${gateway.url}/graphql/stream`;
});
afterEach(async () => {
  for (const controller of controllers.splice(0)) controller.abort();
  await until(() => graph.news.open() === 0, 'all subscriptions have ended');
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

const TOKEN = 'x-graphql-event-stream-token';
const SUBSCRIPTION = 'subscription { published { id } }';

async function reserve(): Promise<string> {
  const response = await fetch(address, { method: 'PUT' });
  expect(response.status).toBe(201);
  return response.text();
}

/** Opens an event stream as an EventSource does. */
async function open(
  token: string,
): Promise<{ readonly status: number; readonly text: () => string; readonly end: () => void }> {
  const controller = new AbortController();
  controllers.push(controller);
  const headers = { accept: 'text/event-stream' };
  const response = await fetch(`${address}?token=${token}`, { headers, signal: controller.signal });
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
  };
  void read().catch(() => undefined); // ended by the test
  return { status: response.status, text: () => text, end: () => controller.abort() };
}

async function post(
  token: string,
  operationId: unknown,
  query: string,
): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json', [TOKEN]: token };
  const body = JSON.stringify({ query, extensions: { operationId } });
  const response = await fetch(address, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

function stop(token: string, operationId: string): Promise<Response> {
  return fetch(`${address}?operationId=${operationId}`, { method: 'DELETE', headers: { [TOKEN]: token } });
}

describe('graphql-sse, single connection mode', () => {
  it("is spoken by graphql-sse's own client", async () => {
    const client = createClient<true>({ url: address, singleConnection: true, retryAttempts: 0 });
    const received: unknown[] = [];
    const ended = (async () => {
      for await (const result of client.iterate({ query: SUBSCRIPTION })) received.push(result);
    })();
    await until(() => graph.news.open() === 1, 'the subscription is open');
    graph.news.publish({ id: 'a' });
    await until(() => received.length === 1, 'the event was received');
    graph.news.complete();
    await ended;
    expect(received).toEqual([{ data: { published: { id: 'a' } } }]);
    client.dispose();
  });

  it('sends the results of many operations, each with its id', async () => {
    const token = await reserve();
    const stream = await open(token);
    expect(await post(token, 'query', '{ user(id: "1") { name } }')).toEqual({ status: 202, text: '' });
    expect((await post(token, 'news', SUBSCRIPTION)).status).toBe(202);
    await until(() => graph.news.open() === 1, 'the subscription is open');
    graph.news.publish({ id: 'a' });
    await until(() => stream.text().includes('published'), 'the event was received');
    expect(stream.text().replaceAll(/^:\n\n/gm, '')).toBe(
      'event: next\ndata: {"id":"query","payload":{"data":{"user":{"name":"User 1"}}}}\n\n' +
        'event: complete\ndata: {"id":"query"}\n\n' +
        'event: next\ndata: {"id":"news","payload":{"data":{"published":{"id":"a"}}}}\n\n',
    );
    expect((await stop(token, 'news')).status).toBe(200);
    await until(() => graph.news.open() === 0, 'the subscription has ended');
    expect((await stop(token, 'news')).status).toBe(200);
  });

  it('keeps what comes before it is opened', async () => {
    const token = await reserve();
    expect((await post(token, '1', '{ user(id: "1") { name } }')).status).toBe(202);
    const stream = await open(token);
    await until(() => stream.text().includes('User 1'), 'the result was received');
  });

  it('ends all that runs with its connection, and its token with it', async () => {
    const token = await reserve();
    const stream = await open(token);
    await post(token, '1', SUBSCRIPTION);
    await until(() => graph.news.open() === 1, 'the subscription is open');
    stream.end();
    await until(() => graph.news.open() === 0, 'the subscription has ended');
    expect(await post(token, '2', SUBSCRIPTION)).toMatchObject({ status: 404 });
  });

  it('sends the errors of what is not executed, and rejects operations without an id of their own', async () => {
    const token = await reserve();
    const stream = await open(token);
    expect((await post(token, '1', '{ noAuthor }')).status).toBe(202);
    await until(() => stream.text().includes('complete'), 'it is complete');
    expect(stream.text()).toMatch(/data: \{"id":"1","payload":\{"errors":\[\{.*GRAPHQL_VALIDATION_FAILED/);
    for (const id of [undefined, '', 7, 'x'.repeat(257)])
      expect(await post(token, id, '{ count }')).toMatchObject({ status: 400 });
    const batch = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [TOKEN]: token },
      body: '[{"query":"{ count }"}]',
    });
    expect(batch.status).toBe(400);
  });

  it('has one connection for each token, and none for others', async () => {
    const token = await reserve();
    await open(token);
    expect((await open(token)).status).toBe(400);
    for (const unknown of ['', 'x', '__proto__', token.slice(1)])
      expect((await open(unknown)).status).toBe(404);
    expect((await stop('x', '1')).status).toBe(404);
    expect((await fetch(`${gateway.url}/graphql`, { method: 'PUT' })).status).toBe(405);
  });

  it('is bounded: streams of a caller and operations of a stream', async () => {
    const [token] = [await reserve(), await reserve()];
    const beyond = await fetch(address, { method: 'PUT' });
    expect([beyond.status, beyond.headers.get('retry-after')]).toEqual([429, '1']);
    await open(token);
    for (const id of ['1', '2']) expect((await post(token, id, SUBSCRIPTION)).status).toBe(202);
    expect(await post(token, '1', SUBSCRIPTION)).toMatchObject({ status: 400 });
    expect(await post(token, '3', SUBSCRIPTION)).toMatchObject({ status: 429 });
  });

  it('is bounded in the time to open it: then its place is free', async () => {
    const brief = await startTestGateway({
      subgraphs: graph.all,
      settings: 'subscriptions: { webSocket: { maxConnectionsPerUser: 1, initMs: 3000 } }',
    });
    const reserveThere = async (): Promise<number> =>
      (await fetch(`${brief.url}/graphql/stream`, { method: 'PUT' })).status;
    expect(await reserveThere()).toBe(201);
    expect(await reserveThere()).toBe(429);
    await expect.poll(reserveThere, { timeout: 20_000 }).toBe(201);
    await brief.close();
  });
});
