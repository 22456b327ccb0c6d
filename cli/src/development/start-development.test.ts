import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { gateway } from '@trellis/gateway';
import { startEventGraph, type EventGraph } from '@trellis/gateway/testing';
import { createLogger, createMetrics } from '@trellis/runtime';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDevelopmentGraph } from './development-graph.ts';
import { startDevelopment, type DevelopmentGateway } from './start-development.ts';
import { startMocks, type Mocks } from './start-mocks.ts';
import { followSubgraph } from './subgraph-feed.ts';

const LIKES = print(gql`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type User @key(fields: "id") {
    id: ID!
    likes: Int!
  }
`);

let directory: TemporaryDirectory;
let events: EventGraph;
let mocks: Mocks;
let served: DevelopmentGateway;
let file: string;
let printed = '';

beforeAll(async () => {
  directory = createTemporaryDirectory();
  file = join(directory.path, 'likes.graphql');
  [events, mocks] = await Promise.all([startEventGraph(), startMocks()]);
  const rest = events.all.map(({ name, url }) =>
    followSubgraph({ name, routingUrl: url, schema: { kind: 'address', url, headers: {} } }),
  );
  const likes = {
    name: 'likes',
    routingUrl: '',
    schema: { kind: 'file', path: 'likes.graphql', file },
  } as const;
  const starting = startDevelopment(
    {
      graph: createDevelopmentGraph({
        own: [followSubgraph(likes)],
        rest,
        urlOf: ({ name, routingUrl }, isOwn) => (isOwn ? mocks.urlOf(name) : routingUrl),
      }),
      onSubgraphs: (subgraphs) =>
        subgraphs.filter(({ name }) => name === 'likes').forEach(({ name, sdl }) => mocks.set(name, sdl)),
      print: (text) => void (printed += `${text}\n`),
    },
    gateway.readConfig({ PORT: '0', SUPERGRAPH: 'trellis-dev', NODE_ENV: 'development' }),
    { logger: createLogger({ service: 'gateway', level: 'silent' }), metrics: createMetrics('gateway') },
  );
  writeFileSync(file, LIKES.replace('Int!', 'Integer!')); // it begins with a mistake
  await vi.waitUntil(() => printed.includes('Unknown type Integer'), { timeout: 90_000 });
  writeFileSync(file, LIKES);
  served = await starting;
});

afterAll(async () => {
  await served?.close();
  await Promise.all([events.close(), mocks.close()]);
  directory.remove();
});

async function ask(query: string): Promise<unknown> {
  const response = await fetch(`${served.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

interface EventReader {
  /** All that has come. */
  readonly text: () => string;
  /** The data of the last event. */
  readonly last: () => unknown;
  readonly end: () => void;
}

async function readEvents(path: string, init: RequestInit = {}): Promise<EventReader> {
  const controller = new AbortController();
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
  const response = await fetch(served.url + path, { ...init, headers, signal: controller.signal });
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
  };
  void read().catch(() => undefined); // ended by the test
  return {
    text: () => text,
    last: () => JSON.parse(/.*\ndata: (.*)\n\n$/s.exec(`\n${text}`)?.[1] ?? 'null'),
    end: () => controller.abort(),
  };
}

describe('trellis dev', () => {
  it('serves a mocked subgraph beside running ones', async () => {
    expect(await ask('{ user(id: "1") { name likes } }')).toEqual({
      data: { user: { name: 'User 1', likes: expect.any(Number) } },
    });
  });

  it('shows its supergraph, which recorded usage is searched with', async () => {
    expect(await served.sdl(AbortSignal.timeout(5_000))).toContain('likes');
  });

  it('follows each save, and subscriptions stay', async () => {
    const stream = await readEvents('/graphql', {
      method: 'POST',
      body: JSON.stringify({ query: 'subscription { published { id } }' }),
    });
    await expect.poll(() => events.news.open()).toBe(1);
    writeFileSync(file, LIKES.replace('likes: Int!', 'likes: Int! liked: Boolean!'));
    await expect
      .poll(() => ask('{ user(id: "1") { liked } }'))
      .toEqual({ data: { user: { liked: expect.any(Boolean) } } });
    expect(printed).toMatch(/composed 3 subgraphs in \d+ ms, served \d+ ms after the change/);
    events.news.publish({ id: 'a' });
    await expect.poll(stream.text).toContain('{"data":{"published":{"id":"a"}}}');
    stream.end();
  });

  it('says in terminal and explorer what does not compose, and serves on', async () => {
    const graph = await readEvents('/explorer/events');
    printed = '';
    writeFileSync(
      file,
      `${LIKES}\n${print(gql`
        type News {
          id: Int
        }
      `)}`,
    );
    const problem = expect.stringMatching(/likes\.graphql:8:3: FIELD_TYPE_MISMATCH.*\n[^]*id: Int/);
    await expect.poll(() => graph.last()).toMatchObject({ problem });
    expect(printed).toEqual(problem);
    expect(await ask('{ user(id: "1") { likes } }')).toMatchObject({ data: { user: {} } });
    writeFileSync(file, LIKES);
    await expect.poll(() => graph.last()).toMatchObject({ problem: null });
    graph.end();
  });

  it('says nothing of its files to pages of other origins, nor to a site whose name leads here', async () => {
    for (const [headers, status] of [
      [{ 'sec-fetch-site': 'cross-site' }, 404],
      [{ host: 'rebound.example' }, 421],
    ] as const) {
      const request = get(`${served.url}/explorer/events`, { headers });
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(status);
      request.destroy();
    }
  });

  it('takes back what composes and has queries without a plan', async () => {
    printed = '';
    const graph = await readEvents('/explorer/events');
    writeFileSync(file, LIKES.replace('@key(fields: "id")', '@key(fields: "id", resolvable: false)'));
    await expect
      .poll(() => graph.last())
      .toMatchObject({
        problem: expect.stringContaining('SATISFIABILITY_ERROR'),
      });
    expect(printed).toMatch(/composed 3 subgraphs[^]*SATISFIABILITY_ERROR/);
    expect(await ask('{ user(id: "1") { likes } }')).toMatchObject({
      data: { user: { likes: expect.any(Number) } },
    });
    graph.end();
    writeFileSync(file, LIKES);
  });
});
