import { writeFileSync } from 'node:fs';
import { USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol';
import type { DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';
import { decodeJwt } from 'jose';
import { until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compose } from '../testing/compose.ts';
import { NEWS } from '../testing/event-graph.ts';
import { RawSocket } from '../testing/raw-socket.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { EventStage } from '../testing/event-stage.ts';
import { replaceInTypeDefs } from '../testing/replace-in-type-defs.ts';

let stage: EventStage;
let graph: EventStage['graph'];
let issuer: EventStage['issuer'];
let gateway: EventStage['gateway'];

beforeAll(async () => {
  stage = await EventStage.start('headers: { fromPayload: [x-tenant] }', { FORWARD_HEADERS: 'x-tenant' });
  ({ graph, issuer, gateway } = stage);
});
beforeEach(() => stage.forget());
afterEach(() => stage.disconnect());
afterAll(() => stage.close());

const SUBSCRIPTION = 'subscription { published { id author { name } } }';
const SHARED = 'subscription { shared { id author { name } } }';

async function connectAs(
  claims?: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, string>> = {},
): Promise<RawSocket> {
  const token = claims && { authorization: `Bearer ${await issuer.sign(claims)}` };
  return stage.connect({ ...token, ...more });
}

/** The headers that each `subscribe` message has carried. */
function headersSent(): readonly Readonly<Record<string, string>>[] {
  return graph.news.subscribed.map(
    ({ extensions = {} }) => (extensions ?? {})['headers'] as Readonly<Record<string, string>>, // the contract says so
  );
}

function contextsSent(): readonly Readonly<Record<string, unknown>>[] {
  return headersSent().map((headers) => decodeJwt(headers[USER_CONTEXT_HEADER] ?? ''));
}

describe('G10: what events cost', () => {
  it('is charged to all who are sent them, and ends the stream of a caller over the rate', async () => {
    const limited = await startTestGateway({
      subgraphs: graph.all,
      settings: `http: { trustProxy: [127.0.0.1] }
rateLimits: { objectsPerOperation: 4, perAddress: { operations: 3, windowS: 600 } }`,
    });
    const open = async (address: string): Promise<RawSocket> => {
      const headers = { 'x-forwarded-for': address };
      const socket = await RawSocket.connect(`${limited.url}/graphql`, {}, { headers });
      stage.closeAfter(socket);
      socket.subscribe('1', SUBSCRIPTION);
      return socket;
    };
    const [first, second] = [await open('192.0.2.1'), await open('198.51.100.1')];
    await until(async () => /trellis_gateway_streams\{[^}]*\} 2/.test(await limited.metrics.metrics()));
    await until(() => graph.news.open() === 1);
    const types: unknown[][] = [[], []];
    for (let event = 0; event < 6; event += 1) {
      graph.news.publish({ id: `e${event}`, author: '1' }); // two objects
      for (const [index, socket] of [first, second].entries()) types[index]?.push((await socket.next()).type);
    }
    expect(types).toEqual([Array(6).fill('next'), Array(6).fill('next')]);
    for (const socket of [first, second])
      expect(await socket.next()).toMatchObject({
        type: 'error',
        payload: [{ extensions: { code: 'RATE_LIMITED' } }],
      });
    await limited.close();
  });
});

describe('streams that ask for the same', () => {
  it('share one subscription, one set of fetches and one result', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => connectAs()));
    for (const [index, socket] of all.entries()) socket.subscribe(`id-${index}`, SUBSCRIPTION);
    await until(() => graph.news.open() === 1);
    await until(async () => (await openStreams()) === 20);
    graph.news.publish({ id: 'a', author: '1' });
    for (const [index, socket] of all.entries())
      expect(await socket.next()).toEqual({
        id: `id-${index}`,
        type: 'next',
        payload: { data: { published: { id: 'a', author: { name: 'User 1' } } } },
      });
    expect(graph.news.subscribed).toHaveLength(1);
    expect(graph.people.received).toHaveLength(1);
    expect(graph.news.initialised).toHaveLength(1);
  });

  it('share the subscription alone where they differ in what is fetched beside it', async () => {
    const socket = await connectAs();
    socket.subscribe('1', 'subscription { published { author { name } } }');
    await until(() => graph.news.open() === 1);
    socket.subscribe('2', 'subscription { published { author { id name } } }');
    await until(async () => (await openStreams()) === 2);
    graph.news.publish({ id: 'a', author: '1' });
    const frames = [await socket.next(), await socket.next()];
    expect(frames.find(({ id }) => id === '1')?.payload).toEqual({
      data: { published: { author: { name: 'User 1' } } },
    });
    expect(frames.find(({ id }) => id === '2')?.payload).toEqual({
      data: { published: { author: { id: '1', name: 'User 1' } } },
    });
    expect(graph.news.subscribed).toHaveLength(1);
  });

  it('S-076 are not shared by users, tenants or variables that differ', async () => {
    const ada = await connectAs({ sub: 'ada' });
    const bob = await connectAs({ sub: 'bob' });
    const tenant = await connectAs({ sub: 'ada' }, { 'x-tenant': 'blue' });
    for (const socket of [ada, bob, tenant]) socket.subscribe('1', SUBSCRIPTION);
    await until(() => graph.news.open() === 3);
    const ofTopic = 'subscription ($topic: String) { published(topic: $topic) { id author { name } } }';
    for (const topic of ['sport', 'arts']) ada.subscribe(topic, ofTopic, { variables: { topic } });
    await until(() => graph.news.open() === 5);
    const users = contextsSent().map(({ sub }) => sub);
    expect(users.filter((sub) => sub === 'ada')).toHaveLength(4);
    expect(headersSent().filter((headers) => headers['x-tenant'] === 'blue')).toHaveLength(1);
    expect(graph.news.initialised.length).toBeLessThanOrEqual(1); // on one socket nevertheless
  });

  it('of a marked field are shared by users with equal roles and scopes, in the name of the group', async () => {
    const editors = await Promise.all(
      ['eve', 'ed'].map((sub) => connectAs({ sub, roles: ['EDITOR', 'VIEWER'], scope: 'read:data' })),
    );
    const viewer = await connectAs({ sub: 'vi', roles: ['VIEWER'], scope: 'read:data' });
    const anonymous = await connectAs();
    for (const socket of [...editors, viewer, anonymous]) socket.subscribe('1', SHARED);
    await until(async () => (await openStreams()) === 4);
    await until(() => graph.news.open() === 3);
    expect(contextsSent().map(({ roles, scope, sub, gid }) => ({ roles, scope, sub, gid }))).toEqual(
      expect.arrayContaining([
        { roles: ['EDITOR', 'VIEWER'], scope: 'read:data', sub: undefined, gid: undefined },
        { roles: ['VIEWER'], scope: 'read:data', sub: undefined, gid: undefined },
        { roles: undefined, scope: '', sub: undefined, gid: undefined },
      ]),
    );
    graph.news.publish({ id: 'a', author: '1' });
    for (const socket of [...editors, viewer, anonymous])
      expect(await socket.next()).toMatchObject({ type: 'next' });
    expect(graph.people.received).toHaveLength(3);
  });

  it('S-091 send each user what that user may see', async () => {
    const known = await connectAs({ sub: 'ada' });
    const anonymous = await connectAs();
    for (const socket of [known, anonymous]) socket.subscribe('1', 'subscription { shared { id secret } }');
    await until(() => graph.news.open() === 2);
    graph.news.publish({ id: 'a' });
    expect(await known.next()).toMatchObject({ payload: { data: { shared: { secret: 'hush' } } } });
    expect(await anonymous.next()).toMatchObject({
      payload: {
        data: { shared: { secret: null } },
        errors: [{ path: ['shared', 'secret'], extensions: { code: 'UNAUTHENTICATED' } }],
      },
    });
  });

  it('S-091 are rejected where the field itself may not be seen, and nothing is asked of the subgraph', async () => {
    const cases = [
      [await connectAs(), 'UNAUTHENTICATED'],
      [await connectAs({ scope: 'openid' }), 'FORBIDDEN'],
    ] as const;
    for (const [socket, code] of cases) {
      socket.subscribe('1', 'subscription { guarded { id } }');
      expect(await socket.next()).toMatchObject({ type: 'error', payload: [{ extensions: { code } }] });
    }
    expect(graph.news.subscribed).toHaveLength(0);
    const allowed = await connectAs({ scope: 'read:data' });
    allowed.subscribe('1', 'subscription { guarded { id } }');
    await until(() => graph.news.open() === 1);
  });
});

async function openStreams(): Promise<number> {
  const text = await gateway.metrics.metrics();
  return Number(/trellis_gateway_streams\{kind="subscription".*\} (\d+)/.exec(text)?.[1]);
}

describe('F-11 a new supergraph', () => {
  const changed = (typeDefs: DocumentNode): string =>
    compose([{ ...graph.news, typeDefs }, ...graph.all.filter(({ name }) => name !== 'news')]);
  const replace = async (supergraph: string): Promise<void> => {
    const swaps = (): number => gateway.logged().filter(({ msg }) => msg === 'supergraph loaded').length;
    const before = swaps();
    writeFileSync(gateway.supergraphFile, supergraph);
    await until(() => swaps() > before, 'the new supergraph serves');
  };

  it('goes on with streams whose fields still exist, on the same subscription', async () => {
    const socket = await connectAs();
    socket.subscribe('1', SUBSCRIPTION);
    await until(() => graph.news.open() === 1);
    for (let round = 1; round <= 5; round += 1) {
      const done = replace(changed(gql`${NEWS} type Round${round} @key(fields: "id") { id: ID! }`));
      for (const part of ['before', 'after']) {
        graph.news.publish({ id: `${round}-${part}`, author: '1' });
        if (part === 'before') await done;
      }
      for (const part of ['before', 'after'])
        expect(await socket.next()).toMatchObject({
          payload: { data: { published: { id: `${round}-${part}` } } },
        });
    }
    expect(graph.news.subscribed).toHaveLength(1);
  });

  it('ends streams whose fields are gone with SCHEMA_CHANGED', async () => {
    const socket = await connectAs();
    socket.subscribe('1', 'subscription { rejectedLater: published { id broken } }');
    socket.subscribe('2', SUBSCRIPTION);
    await until(() => graph.news.open() === 2);
    await replace(changed(replaceInTypeDefs(NEWS, 'broken: String!', '')));
    expect(await socket.next()).toMatchObject({
      id: '1',
      type: 'error',
      payload: [{ extensions: { code: 'SCHEMA_CHANGED' } }],
    });
    await until(() => graph.news.open() === 1);
    graph.news.publish({ id: 'still', author: '1' });
    expect(await socket.next()).toMatchObject({ id: '2', payload: { data: { published: { id: 'still' } } } });
  });
});
