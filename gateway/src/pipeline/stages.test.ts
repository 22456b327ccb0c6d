import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../testing/event-graph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import { stages, type Stage, type StageName } from './stages.ts';

const table: readonly Stage[] = stages;
const order: readonly string[] = table.map(({ name }) => name);

const directory = fileURLToPath(new URL('..', import.meta.url));
const sources = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(directory + path, 'utf8') }));

let graph: EventGraph;
let gateway: TestGateway;
const sockets: RawSocket[] = [];

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    logLevel: 'trace',
    settings: 'live: { minIntervalMs: 20, intervalMs: 20 }',
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

/** The stages that runs of a kind have entered since a place in the log, request by request. */
function entered(kind: string, from: number): readonly StageName[] {
  return gateway
    .logged()
    .slice(from)
    .filter((record) => record['msg'] === 'stage entered' && record['kind'] === kind)
    .map((record) => record['stage'] as StageName); // written from the same type
}

function isInOrder(names: readonly StageName[]): boolean {
  const places = names.map((name) => order.indexOf(name));
  return places.every((place, index) => index === 0 || (places[index - 1] ?? 0) < place);
}

async function subscribe(query: string): Promise<RawSocket> {
  const socket = await RawSocket.connect(`${gateway.url}/graphql`);
  sockets.push(socket);
  socket.send({ type: 'subscribe', id: '1', payload: { query } });
  return socket;
}

describe('Stages', () => {
  it('have names that occur once', () => {
    expect(new Set(order).size).toBe(order.length);
  });

  it('are each entered by the pipeline, and by nothing else', () => {
    const entered = sources.flatMap(({ text }) =>
      [...text.matchAll(/\.enter\('([^']+)'\)/g)].map(([, name = '']) => name),
    );
    expect([...new Set(entered)].toSorted()).toEqual(order.toSorted());
    const elsewhere = sources.filter(
      ({ path, text }) => !path.startsWith('pipeline/') && /new OperationRun\(|\.enter\('/.test(text),
    );
    expect(elsewhere.map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['a query', '{ count latest { author { name } } }', 'respond'],
    ['a query of one subgraph', '{ count }', 'respond'],
    ['a mutation', 'mutation { bump }', 'invalidate'],
    ['a query of the schema', '{ __schema { queryType { name } } }', 'respond'],
  ])('of %s run in the order of the table', async (_, query, last) => {
    const from = gateway.logged().length;
    expect((await gateway.post({ query })).body.errors).toBeUndefined();
    const names = entered('request', from);
    expect(names.slice(0, 4)).toEqual(['place', 'address rate', 'persisted query', 'document']);
    expect(names).toContain('gate');
    expect(names).toContain(last);
    expect([names, isInOrder(names)]).toEqual([names, true]);
  });

  it('of an event are those of a run: gate, execute, respond', async () => {
    await subscribe('subscription { published { id author { name } } }');
    await until(() => graph.news.open() === 1);
    const from = gateway.logged().length;
    graph.news.publish({ id: '1', author: 'ada' });
    await until(() => entered('event', from).includes('respond'));
    expect(entered('event', from)).toEqual(['gate', 'execute', 'respond']);
  });

  it('of a tick are those of a run', async () => {
    const from = gateway.logged().length;
    await subscribe('query @live { count }');
    await until(() => entered('tick', from).includes('respond'));
    expect(entered('tick', from).slice(0, 3)).toEqual(['gate', 'execute', 'respond']);
    await until(() => entered('tick', from).length >= 7);
    expect(entered('tick', from).slice(3, 7)).toEqual(['tick rate', 'gate', 'execute', 'respond']);
  });

  it.each([
    ['persisted query', { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } }],
    ['document', { query: '{' }],
    ['document', { query: '{ nothing }' }],
    ['transport', { query: 'subscription { published { id } }' }],
    [
      'variables',
      { query: 'subscription ($t: String) { published(topic: $t) { id } }', variables: { t: 7 } },
    ],
    ['variables', { query: 'query ($w: Boolean!) { count @include(if: $w) }' }],
  ] as const)('%s rejects with codes that the table lists: %j', async (stage, { ...request }) => {
    const from = gateway.logged().length;
    const { authorization, ...body } = { authorization: undefined, ...request };
    const isSubscription = 'query' in body && body.query.includes('($t');
    const result = await gateway
      .post(body, {
        ...(authorization !== undefined && { authorization }),
        ...(isSubscription && { accept: 'text/event-stream' }),
      })
      .catch(() => undefined);
    await until(() =>
      gateway
        .logged()
        .slice(from)
        .some(({ msg }) => msg === 'operation ended'),
    );
    const logged = gateway
      .logged()
      .slice(from)
      .find(({ msg }) => msg === 'operation ended');
    const { errors } = table.find(({ name }) => name === stage) ?? { errors: [] };
    expect(logged?.['stage']).toBe(stage);
    expect(errors).toContain(logged?.['outcome']);
    if (result) expect(result.body.errors?.[0]?.extensions['code']).toBe(logged?.['outcome']);
  });
});
