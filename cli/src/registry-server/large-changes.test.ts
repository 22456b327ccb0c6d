import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { queryChecked, type Pool } from '@trellis/postgres';
import { createLogger } from '@trellis/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJudgementThread, type JudgementPlace } from './judgement-thread.ts';
import type { UnlinkedSchema } from '../../testing/federation-link.ts';
import { HERE, NOTHING_CHANGED, publicationTo } from '../../testing/judged-changes.ts';
import { createRegistryTables, serverFor, type RegistryTables } from '../../testing/registry-stage.ts';

let tables: RegistryTables;
let pool: Pool;

beforeAll(async () => {
  tables = await createRegistryTables();
  ({ pool } = tables);
});

afterAll(() => tables.close());

const UNJUDGED = {
  error: { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(NOTHING_CHANGED) as string },
};

describe('Large changes that are judged', () => {
  /** The longest pause of a reader, in milliseconds, while a large change is checked. */
  async function longestPause(graph: string, place: JudgementPlace): Promise<number> {
    const server = await serverFor(pool, ['graph:publish:*', 'graph:read'], {
      judgementPlace: place,
      client: graph,
      limits: { requestsPerMinute: 1_000_000 },
    });
    const base = await server.listen({ port: 0, host: '127.0.0.1' });
    const small = gql`
      type Query {
        first: Int
      }
    `;
    expect((await server.inject(publicationTo(graph, small))).statusCode).toBe(200);
    const { url, payload } = publicationTo(graph, largeSchema(400));
    const state = { isDone: false };
    let longest = 0;
    const change = fetch(`${base}${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    }).finally(() => (state.isDone = true));
    for (let lastMs = performance.now(); !state.isDone; lastMs = performance.now()) {
      expect((await fetch(`${base}/v1/graphs/${graph}/environments/test/head`)).status).toBe(200);
      longest = Math.max(longest, performance.now() - lastMs);
    }
    expect((await change).status).toBe(200);
    await server.close();
    return longest;
  }

  it('leave the thread that serves to those who read, which checks on that thread do not', async () => {
    const thread = createJudgementThread();
    const control = await longestPause('control', HERE);
    const apart = await longestPause('apart', thread);
    expect(apart).toBeLessThan(control / 2);
  }, 180_000);

  it('fail alone where they need more memory than their thread may have', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const server = await serverFor(pool, ['graph:publish:*', 'graph:read'], {
      client: 'large',
      judgementPlace: createJudgementThread({ maxHeapMb: 64 }),
      logger: createLogger({ service: 'test', level: 'error', destination }),
    });
    const publish = (typeDefs: UnlinkedSchema) => server.inject(publicationTo('large', typeDefs));
    expect(
      (
        await publish(gql`
          type Query {
            first: Int
          }
        `)
      ).statusCode,
    ).toBe(200);
    const failed = await publish(largeSchema(1_000));
    expect([failed.statusCode, failed.json()]).toEqual([503, UNJUDGED]);
    expect(failed.body).toContain('needs more memory than it may have');
    expect(lines.join('')).toContain('a change could not be judged');
    expect(
      (
        await publish(gql`
          type Query {
            first: Int
            second: Int
          }
        `)
      ).statusCode,
    ).toBe(200);
    const head = await server.inject({ url: '/v1/graphs/large/environments/test/head' });
    expect(head.json()).toEqual({ sequence: 2 });
    const row = { outcome: 'text', sequence: 'int4?' } as const;
    const text = "SELECT outcome, sequence FROM audit WHERE graph = 'large' ORDER BY id";
    expect(await queryChecked(pool, row, text)).toEqual([
      { outcome: 'published', sequence: 1 },
      { outcome: 'STORE_UNAVAILABLE', sequence: null },
      { outcome: 'published', sequence: 2 },
    ]);
    await server.close();
  }, 180_000);
});

/** So many types with fields of one another. */
function largeSchema(types: number): string {
  const each = Array.from({ length: types }, (_, index) => {
    const other = (index * 7 + 1) % types;
    return `type T${index} { id: ID! name: String other: T${other} list(first: Int): [T${other}!] }`;
  });
  return [
    print(gql`
      type Query {
        first: Int
        t0: T0
      }
    `),
    ...each,
  ].join('\n');
}
