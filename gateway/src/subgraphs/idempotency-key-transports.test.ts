import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

let graph: LibraryGraph;
let gateway: TestGateway;
/** It sends no such header on. */
let keeping: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  [gateway, keeping] = await Promise.all([
    startTestGateway({
      subgraphs: graph.all,
      environment: { FORWARD_HEADERS: 'idempotency-key' },
      settings: 'headers: { fromPayload: [idempotency-key] }',
    }),
    startTestGateway({ subgraphs: graph.all }),
  ]);
});
afterAll(async () => {
  await Promise.all([gateway.close(), keeping.close()]);
  await graph.close();
});
beforeEach(() => graph.forget());

const rename = (idempotencyKey?: unknown): object => ({
  query: 'mutation { rename(id: "user-1", name: "X") { name } }',
  ...(idempotencyKey !== undefined && { extensions: { idempotencyKey } }),
});
const keysSent = (): readonly (string | undefined)[] =>
  graph.people.received.map(({ headers }) => headers['idempotency-key']?.toString());

describe('extensions.idempotencyKey, by transport', () => {
  it('goes to subgraphs as the header, in whose place it is', async () => {
    await gateway.post(rename('own'), { 'idempotency-key': 'of the request' });
    await gateway.post(rename(), { 'idempotency-key': 'of-the-request' });
    await gateway.post(rename());
    expect(keysSent()).toEqual(['own', 'of-the-request', undefined]);
  });

  it('is one of each operation in a batch', async () => {
    const { bodies } = await gateway.post([rename('a'), rename('b'), rename()], { 'idempotency-key': 'c' });
    expect(bodies.map(({ errors }) => errors)).toEqual([undefined, undefined, undefined]);
    expect(keysSent().map(String).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('is one of each operation on a connection', async () => {
    const socket = await RawSocket.connect(`${gateway.url}/graphql`, { 'idempotency-key': 'c' });
    for (const [id, key] of Object.entries({ x: 'a', y: 'b', z: undefined })) {
      socket.send({ id, type: 'subscribe', payload: rename(key) });
      expect(await socket.next()).toMatchObject({ id, type: 'next', payload: { data: { rename: {} } } });
      expect(await socket.next()).toEqual({ id, type: 'complete' });
    }
    socket.close();
    expect(keysSent()).toEqual(['a', 'b', 'c']);
  });

  it('that can not be a header is rejected, and nothing is done', async () => {
    const { body } = await gateway.post(rename('a\u010d\u010ax-user-roles: ADMIN'));
    expect([body.data, body.errors?.[0]?.extensions['code']]).toEqual([undefined, 'BAD_USER_INPUT']);
    expect(graph.requests()).toBe(0);
  });

  it('is the same as none where it is null', async () => {
    expect((await gateway.post(rename(null))).body.errors).toBeUndefined();
    expect(keysSent()).toEqual([undefined]);
  });

  it('stays here where the header does', async () => {
    expect((await keeping.post(rename('own'))).body.errors).toBeUndefined();
    expect(keysSent()).toEqual([undefined]);
  });
});
