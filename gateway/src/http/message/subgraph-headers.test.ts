import { until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventGraph } from '../../testing/event-graph.ts';
import { type LibraryGraph } from '../../testing/library-graph.ts';
import { RawSocket } from '../../testing/raw-socket.ts';
import { startTokenIssuer, type TokenIssuer } from '../../testing/token-issuer.ts';
import { stageLibrary } from '../../testing/library-stage.ts';

const library = stageLibrary();

let issuer: TokenIssuer;

beforeAll(async () => {
  issuer = await startTokenIssuer();
});
afterAll(() => issuer.close());

describe('Headers by subgraph', () => {
  it('are forwarded, set and removed as configured', async () => {
    const gateway = await library.start({
      environment: { API_KEY: 'key-7' },
      settings: `
        headers:
          forward: [X-Tenant, accept-language]
          set: { x-gateway: trellis }
          subgraphs:
            books: { forward: [x-books], set: { X-Api-Key: "\${API_KEY}", x-gateway: books }, remove: [accept-language] }
            people: { remove: [x-gateway] }`,
    });
    const headers = { 'x-tenant': 'acme', 'accept-language': 'de', 'x-books': 'yes', 'x-api-key': 'mine' };
    await gateway.post({ query: '{ user(id: "user-1") { name books { title } } }' }, headers);
    const [people, books] = [
      library.graph.people.received[0]?.headers ?? {},
      library.graph.books.received[0]?.headers ?? {},
    ];
    expect(people).toMatchObject({ 'x-tenant': 'acme', 'accept-language': 'de' });
    expect([people['x-gateway'], people['x-books'], people['x-api-key']]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(books).toMatchObject({
      'x-tenant': 'acme',
      'x-books': 'yes',
      'x-api-key': 'key-7',
      'x-gateway': 'books',
    });
    expect(books['accept-language']).toBeUndefined();
  });

  it('a fixed Authorization goes with queries over HTTP and WebSocket, in the place of the client’s own', async () => {
    const gateway = await library.start({
      environment: { BOOKS_SECRET: 'of-the-gateway' },
      settings: `
        headers:
          forward: [authorization]
          subgraphs: { books: { set: { Authorization: "Bearer \${BOOKS_SECRET}" } }, people: { remove: [authorization] } }`,
    });
    const headers = { authorization: 'Bearer of-the-client' };
    const query = '{ user(id: "user-1") { name books { title } } }';
    expect((await gateway.post({ query }, headers)).body.errors).toBeUndefined();
    const socket = await RawSocket.connect(`${gateway.url}/graphql`, {}, { headers });
    socket.subscribe('1', query);
    expect(await socket.next()).toMatchObject({ type: 'next' });
    socket.close();
    const sent = (received: LibraryGraph['books']['received']): unknown[] =>
      received.map(({ headers: { authorization } }) => authorization);
    expect(sent(library.graph.books.received)).toEqual(['Bearer of-the-gateway', 'Bearer of-the-gateway']);
    expect(sent(library.graph.people.received)).toEqual([undefined, undefined]);
  });

  it('headers.forward of Authorization: the token goes on with queries, subscriptions and the fetches for their events', async () => {
    const events = await startEventGraph();
    const gateway = await library.start({
      subgraphs: events.all,
      settings: 'headers: { forward: [authorization], fromPayload: [authorization] }',
      environment: issuer.environment,
    });
    try {
      const bearer = async (sub: string): Promise<string> => `Bearer ${await issuer.sign({ sub })}`;
      const [http, upgrade, payload] = [
        await bearer('http'),
        await bearer('upgrade'),
        await bearer('payload'),
      ];
      const query = '{ user(id: "1") { name } }';
      const sent = (): unknown => events.people.received.at(-1)?.headers.authorization;
      await gateway.post({ query }, { authorization: http });
      expect(sent()).toBe(http);
      await gateway.post({ query });
      expect(sent()).toBeUndefined();
      for (const [init, options, token] of [
        [{}, { headers: { authorization: upgrade } }, upgrade],
        [{ authorization: payload }, {}, payload],
        [{ authorization: payload }, { headers: { authorization: upgrade } }, upgrade],
      ] as const) {
        events.news.forget();
        const socket = await RawSocket.connect(`${gateway.url}/graphql`, init, options);
        socket.subscribe('1', query);
        expect(await socket.next()).toMatchObject({ type: 'next' });
        expect(sent()).toBe(token);
        await socket.next(); // complete
        socket.subscribe('2', 'subscription { published { author { name } } }');
        await until(() => events.news.open() === 1);
        events.news.publish({ id: 'a', author: '2' });
        expect(await socket.next()).toMatchObject({ type: 'next', id: '2' });
        expect(events.news.subscribed[0]?.extensions).toMatchObject({ headers: { authorization: token } });
        expect(sent()).toBe(token);
        socket.close();
        await until(() => events.news.open() === 0);
      }
    } finally {
      await events.close();
    }
  });
});
