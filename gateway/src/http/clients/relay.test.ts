import { createHash } from 'node:crypto';
import { createClient } from 'graphql-ws';
import relay, { type ConcreteRequest, type FetchFunction, type SubscribeFunction } from 'relay-runtime';
import WebSocket from 'ws';
import { until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph, type EventGraph } from '../../testing/event-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

/** What Relay's compiler calls an operation that is persisted. */
const idOf = (text: string): string => createHash('md5').update(text).digest('hex');

const USER = 'query UserQuery(\n  $id: ID!\n) {\n  user(id: $id) {\n    id\n    name\n  }\n}\n';
const BUMP = 'mutation BumpMutation {\n  bump\n}\n';
const PUBLISHED = 'subscription PublishedSubscription {\n  published {\n    id\n  }\n}\n';
const UNLISTED = 'query UnlistedQuery {\n  count\n}\n';
const MANIFEST = JSON.stringify(
  Object.fromEntries([USER, BUMP, PUBLISHED].map((text) => [idOf(text), text])),
);

let graph: EventGraph;
let gateway: TestGateway;
let environment: relay.Environment;
let disconnect: () => void;

beforeAll(async () => {
  graph = await startEventGraph();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    settings: 'persistedQueries: { mode: safelist, manifests: [persisted.json] }',
    files: { 'persisted.json': MANIFEST },
  });
  ({ environment, disconnect } = createEnvironment(gateway.url));
});
afterAll(async () => {
  disconnect();
  await gateway.close();
  await graph.close();
});

/** A network layer as Relay's guide writes it: ids alone go over the wire. */
function createEnvironment(url: string): { environment: relay.Environment; disconnect: () => void } {
  const fetchOperation: FetchFunction = async ({ id, text }, variables) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ doc_id: id, query: text, variables }),
    });
    return (await response.json()) as relay.GraphQLResponse;
  };
  const socket = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
  });
  const subscribe: SubscribeFunction = ({ id, name }, variables) =>
    relay.Observable.create((sink) =>
      socket.subscribe(
        {
          operationName: name,
          query: '',
          variables,
          extensions: { persistedQuery: { version: 1, sha256Hash: id } },
        },
        sink as never, // the two libraries' results differ in names of types alone
      ),
    );
  return {
    environment: new relay.Environment({
      network: relay.Network.create(fetchOperation, subscribe),
      store: new relay.Store(new relay.RecordSource()),
    }),
    disconnect: () => void socket.dispose(),
  };
}

describe("Relay's network layer over a safelist in Relay's format", () => {
  it('gets queries by their ids, and keeps the records in its store', async () => {
    const query = artifact('query', 'UserQuery', USER, [linked('user', 'User', ['id', 'name'], 'id')]);
    const data = await relay.fetchQuery(environment, query, { id: '7' }).toPromise();
    expect(data).toEqual({ user: { id: '7', name: 'User 7' } });
    expect(environment.getStore().getSource().get('7')).toMatchObject({ name: 'User 7' });
  });

  it('commits mutations by their ids', async () => {
    const mutation = artifact('mutation', 'BumpMutation', BUMP, [scalar('bump')]);
    const committed = await new Promise<unknown>((resolve, reject) => {
      relay.commitMutation(environment, { mutation, variables: {}, onCompleted: resolve, onError: reject });
    });
    expect(committed).toEqual({ bump: expect.any(Number) as number });
  });

  it('subscribes by id, and ends what it has subscribed to', async () => {
    const selection = linked('published', 'News', ['id']);
    const subscription = artifact('subscription', 'PublishedSubscription', PUBLISHED, [selection]);
    const received: unknown[] = [];
    const failures: Error[] = [];
    const { dispose } = relay.requestSubscription(environment, {
      subscription,
      variables: {},
      onNext: (data) => void received.push(data),
      onError: (error) => void failures.push(error),
    });
    await until(() => failures.length > 0 || graph.news.open() === 1, 'the subscription is open');
    for (const id of ['a', 'b']) graph.news.publish({ id });
    await until(() => failures.length > 0 || received.length === 2, 'both events were received');
    expect([failures, received]).toEqual([[], [{ published: { id: 'a' } }, { published: { id: 'b' } }]]);
    dispose();
    await until(() => graph.news.open() === 0, 'the subscription has ended');
  });

  it('S-054 gets nothing that is not listed, neither by id nor by text', async () => {
    const byId = artifact('query', 'UnlistedQuery', UNLISTED, [scalar('count')]);
    const byText = { ...byId, params: { ...byId.params, id: null, cacheID: 'c', text: UNLISTED } };
    for (const query of [byId, byText as ConcreteRequest])
      await expect(relay.fetchQuery(environment, query, {}).toPromise()).rejects.toThrow(/safelist/);
  });
});

type Selection = ConcreteRequest['operation']['selections'][number] &
  ConcreteRequest['fragment']['selections'][number];

function scalar(name: string): Selection {
  return { kind: 'ScalarField', alias: null, name, args: null, storageKey: null };
}

/** @param argument the variable that is passed on under its own name */
function linked(name: string, concreteType: string, fields: readonly string[], argument?: string): Selection {
  const args =
    argument === undefined ? null : [{ kind: 'Variable' as const, name: argument, variableName: argument }];
  const selections = fields.map(scalar);
  return {
    kind: 'LinkedField',
    alias: null,
    name,
    args,
    storageKey: null,
    concreteType,
    plural: false,
    selections,
  };
}

const ROOTS = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' };

/** What Relay's compiler writes for an operation that is persisted. */
function artifact(
  operationKind: keyof typeof ROOTS,
  name: string,
  text: string,
  selections: readonly Selection[],
): ConcreteRequest {
  const argumentDefinitions = [...text.matchAll(/\$(\w+):/g)].map(([, variable = '']) => ({
    kind: 'LocalArgument' as const,
    name: variable,
    defaultValue: null,
  }));
  return {
    kind: 'Request',
    fragment: {
      kind: 'Fragment',
      name,
      type: ROOTS[operationKind],
      metadata: null,
      abstractKey: null,
      argumentDefinitions,
      selections,
    },
    operation: { kind: 'Operation', name, argumentDefinitions, selections },
    params: { id: idOf(text), text: null, name, operationKind, metadata: {} },
  };
}
