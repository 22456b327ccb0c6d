import { createTemporaryDirectory, latencyBudgetMs, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLibrary, type Library } from '../fixtures/library.ts';
import { askGraph, dataOf, type GraphResponse } from '../harness/ask-graph.ts';
import { eventually } from '../harness/deadline.ts';
import { startGateway, type GatewayProcess } from '../harness/gateway-process.ts';

interface Shelf {
  readonly books: readonly { readonly title: string; readonly likes: number | null }[];
}

const shelf = '{ books { title likes } }';

describe('npm run gateway over a supergraph of others, with nothing else', () => {
  let directory: TemporaryDirectory;
  let library: Library;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    library = await openLibrary(directory.path);
    await library.opinions.close();
    gateway = await startGateway({
      supergraph: library.supergraph,
      args: ['--forward-header', 'X-Tenant', '--forward-header', 'x-trace'],
    });
  });

  afterAll(async () => {
    await library.close().catch(() => undefined); // one of the two may be closed already
    directory.remove();
  });

  beforeEach(() => {
    library.catalogue.forget();
    library.opinions.forget();
  });

  it('starts although a subgraph is down, serves the rest, and the rest of the graph once it is up', async () => {
    const without = await ask<Shelf>(shelf);
    expect(without.status).toBe(200);
    expect(without.data?.books).toEqual([
      { title: 'The Lantern Maker', likes: null },
      { title: 'Salt and Paper', likes: null },
    ]);
    expect(without.errors?.map(({ path }) => path)).toEqual([
      ['books', 0, 'likes'],
      ['books', 1, 'likes'],
    ]);
    await library.opinions.reopen();
    const whole = await eventually(
      () => ask<Shelf>(shelf),
      ({ errors }) => errors === undefined,
    );
    expect(dataOf(whole).books.map(({ likes }) => likes)).toEqual([20, 20]);
  });

  it('joins the subgraphs, there and back again', async () => {
    const response = await ask(
      '{ book(id: "b2") { title opinions { text book { title likes } } } latestOpinion }',
    );
    expect(dataOf(response)).toEqual({
      book: {
        title: 'Salt and Paper',
        opinions: [{ text: 'About b2.', book: { title: 'Salt and Paper', likes: 20 } }],
      },
      latestOpinion: 'Read it twice.',
    });
  });

  it('checks no token, and rejects what the supergraph guards without asking for it', async () => {
    for (const field of ['borrowed { id }', 'purchases', 'archive', 'books { shelf }']) {
      library.catalogue.forget();
      const { data, errors } = await ask(`{ __typename ${field} }`, { authorization: 'Bearer whatever' });
      expect([field, errors?.[0]?.extensions.code]).toEqual([field, 'UNAUTHENTICATED']);
      expect(data?.['__typename']).toBe('Query');
      for (const { query } of library.catalogue.requests)
        expect(query).not.toMatch(/borrowed|purchases|archive|shelf/);
    }
  });

  it('forwards the configured headers, and no others (S-062)', async () => {
    await ask(shelf, {
      'x-tenant': 'north',
      'X-Trace': '1',
      authorization: 'Bearer secret',
      cookie: 'session=secret',
      'x-user-id': '1',
      'x-secret': '1',
    });
    for (const { headers } of [...library.catalogue.requests, ...library.opinions.requests]) {
      expect(headers).toMatchObject({ 'x-tenant': 'north', 'x-trace': '1' });
      expect(JSON.stringify(headers)).not.toContain('secret');
      for (const name of ['authorization', 'cookie', 'x-user-id', 'x-secret', 'trellis-user-context'])
        expect(headers).not.toHaveProperty(name);
    }
    expect(library.catalogue.requests.length + library.opinions.requests.length).toBeGreaterThanOrEqual(2);
  });

  it('guards by what protects the process, not by what a graph of its own would allow', async () => {
    const aliases = Array.from({ length: 30 }, (_, index) => `a${index}: books { title }`).join(' ');
    expect(Object.keys(dataOf(await ask(`{ ${aliases} }`)))).toHaveLength(30);
    const deep = `{ books { ${'opinions { book { '.repeat(8)} title ${'} }'.repeat(8)} } }`;
    expect((await ask(deep)).errors).toBeUndefined();
    const bomb = Array.from(
      { length: 30 },
      (_, index) => `fragment B${index} on Query { ...B${index + 1} ...B${index + 1} }`,
    );
    const rejected = await ask(`{ ...B0 } ${bomb.join(' ')} fragment B30 on Query { books { title } }`);
    expect(rejected.errors?.[0]?.extensions.code).toBe('QUERY_TOO_COMPLEX');
  });

  it('hides the machinery of federation (S-040)', async () => {
    for (const query of ['{ _service { sdl } }', '{ _entities(representations: []) { __typename } }'])
      expect((await ask(query)).errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(library.catalogue.requests).toEqual([]);
  });

  it('serves the rest when a subgraph goes down, and all when it is back', async () => {
    await library.catalogue.close();
    const response = await ask('{ book(id: "b1") { title } latestOpinion }');
    expect(response.data).toEqual({ book: null, latestOpinion: 'Read it twice.' });
    expect(response.errors?.map(({ path }) => path)).toEqual([['book']]);
    await library.catalogue.reopen();
    await eventually(
      () => ask<Shelf>(shelf),
      ({ errors }) => errors === undefined,
    );
  });

  it('ends in order at SIGTERM', async () => {
    const ending = await gateway.stop();
    expect([ending.code, ending.leftBehind]).toEqual([0, []]);
    expect(ending.elapsedMs).toBeLessThan(latencyBudgetMs(10_000));
  });

  it('runs beside others of its kind without settings for where their metrics go', async () => {
    const side = { supergraph: library.supergraph, environment: { OPERATIONS_PORT: undefined } };
    const both = [await startGateway(side), await startGateway(side)];
    const metrics = both.map(({ output }) => /"operationsUrl":"([^"]+)"/.exec(output.all)?.[1] ?? '');
    expect(new Set(metrics).size).toBe(2);
    for (const url of metrics) expect((await fetch(`${url}/metrics`)).status).toBe(200);
    await Promise.all(both.map((gateway) => gateway.stop('SIGTERM')));
  });

  it('takes SUPERGRAPH, PORT and HOST from the environment as well', async () => {
    const other = await startGateway({
      supergraph: library.supergraph,
      environment: { SUPERGRAPH: '/ignored', PORT: '1', HOST: '127.0.0.1' },
    });
    expect((await askGraph(other.graph, { query: '{ latestOpinion }' })).data).toEqual({
      latestOpinion: 'Read it twice.',
    });
    await other.stop();
  });

  function ask<Data = Readonly<Record<string, unknown>>>(
    query: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<GraphResponse<Data>> {
    return askGraph<Data>(gateway.graph, { query, headers });
  }
});
