import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { DocumentNode } from 'graphql';
import { gql } from 'graphql-tag';
import type { Pool } from '@trellis/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgements } from '../publish/judgements.ts';
import { openOnceRead } from '../../testing/open-once-read.ts';
import { linkSchema } from '../../testing/federation-link.ts';
import { HERE, NOTHING_CHANGED, publicationTo } from '../../testing/judged-changes.ts';
import { createRegistryTables, serverFor, type RegistryTables } from '../../testing/registry-stage.ts';

let tables: RegistryTables;
let pool: Pool;

beforeAll(async () => {
  tables = await createRegistryTables();
  ({ pool } = tables);
});

afterAll(() => tables.close());

describe('A registry over HTTP', () => {
  it('says that it can not decide where recorded operations can not be read', async () => {
    const behind = await serverFor(pool, ['graph:publish:*'], {
      operations: ['postgresql://user:secret@127.0.0.1:1/none'],
    });
    const publication = (typeDefs: DocumentNode) => {
      const set = [{ name: 'a', sdl: linkSchema(typeDefs), source: 'a', routingUrl: 'http://a.test/' }];
      const url = '/v1/graphs/undecided/environments/test/publications';
      return behind.inject({ method: 'POST', url, payload: { set, remove: [], isWhole: false } });
    };
    expect(
      (
        await publication(gql`
          type Query {
            a: Int
          }
        `)
      ).statusCode,
    ).toBe(200);
    const undecided = await publication(gql`
      type Query {
        a: Int
        b: Int
      }
    `);
    expect([undecided.statusCode, undecided.json()]).toEqual([
      503,
      {
        error: {
          code: 'STORE_UNAVAILABLE',
          message: 'The recorded operations that checks go by can not be read.',
        },
      },
    ]);
    await behind.close();
  });

  it('decides by what a damaged folder of recorded operations still has, and calls the rest unknown', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'damaged-usage-'));
    const line = '{"id":"a","document":"{ a }","clients":[{"name":"ios","requests":9}]}';
    writeFileSync(
      join(folder, '2026-11-01T08-00-00.000Z.gateway.jsonl.gz'),
      gzipSync(`{"format":"trellis-operations/1"}\n${line}\n`).subarray(0, -8),
    );
    const server = await serverFor(pool, ['graph:publish:*'], { operations: [folder] });
    const publish = (typeDefs: DocumentNode) => server.inject(publicationTo('damaged', typeDefs));
    expect(
      (
        await publish(gql`
          type Query {
            a: Int
            b: Int
            c: Int
          }
        `)
      ).statusCode,
    ).toBe(200);
    const bodies = [
      await publish(gql`
        type Query {
          b: Int
          c: Int
        }
      `), // a is used
      await publish(gql`
        type Query {
          a: Int
          c: Int
        }
      `), // b is not known to be unused
    ].map(({ body }) => body);
    expect(bodies).toEqual([
      expect.stringMatching(/"outcome":"rejected".*the file is cut off/),
      expect.stringMatching(/"outcome":"undecided".*the file is cut off/),
    ]);
    expect(bodies.join('')).not.toContain(folder);
    await server.close();
    rmSync(folder, { recursive: true });
  });
});

const UNJUDGED = {
  error: { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(NOTHING_CHANGED) as string },
};

describe('Changes that are judged', () => {
  it('fail alone where what they are judged by never comes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'log-changes-'));
    const operations = join(folder, 'operations.jsonl');
    execFileSync('mkfifo', [operations]);
    const endings: AbortController[] = [];
    const changeDeadline = (): AbortSignal => {
      endings.push(new AbortController());
      return (endings.at(-1) ?? new AbortController()).signal;
    };
    const options = {
      client: 'hanging',
      operations: [operations],
      changeDeadline,
    } as const;
    const server = await serverFor(pool, ['graph:publish:*', 'graph:read'], options);
    const head = async (): Promise<unknown> =>
      (await server.inject({ url: '/v1/graphs/hanging/environments/test/head' })).json();
    expect(
      (
        await server.inject(
          publicationTo(
            'hanging',
            gql`
              type Query {
                a: Int
              }
            `,
          ),
        )
      ).statusCode,
    ).toBe(200);
    const hanging = server.inject(
      publicationTo(
        'hanging',
        gql`
          type Query {
            a: Int
            b: Int
          }
        `,
      ),
    );
    const writer = await openOnceRead(operations);
    const next = server.inject(
      publicationTo(
        'beside',
        gql`
          type Query {
            a: Int
          }
        `,
      ),
    );
    expect(await head()).toEqual({ sequence: 1 });
    endings.at(-1)?.abort();
    const failed = await hanging;
    expect([failed.statusCode, failed.json()]).toEqual([503, UNJUDGED]);
    expect([(await next).statusCode, await head()]).toEqual([200, { sequence: 1 }]);
    await writer.close();
    rmSync(operations);
    writeFileSync(operations, '{"first":"{ a }"}');
    const again = await server.inject(
      publicationTo(
        'hanging',
        gql`
          type Query {
            a: Int
            b: Int
          }
        `,
      ),
    );
    expect([again.statusCode, await head()]).toEqual([200, { sequence: 2 }]);
    rmSync(folder, { recursive: true });
    await server.close();
  }, 180_000);

  it('are overtaken by the abort of a canary', async () => {
    let [begin, release] = [(): void => undefined, (): void => undefined];
    const judging = new Promise<void>((resolve) => (begin = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const checkGraphs: typeof judgements.checkGraphs = async (...given) => {
      begin();
      await released;
      return judgements.checkGraphs(...given);
    };
    const judgementPlace = { ...HERE, judgeUntil: () => ({ ...judgements, checkGraphs }) };
    const scopes = ['graph:publish:*', 'graph:abort:*'];
    const server = await serverFor(pool, scopes, {
      client: 'overtaken',
      judgementPlace,
    });
    expect(
      (
        await server.inject(
          publicationTo(
            'overtaken',
            gql`
              type Query {
                a: Int
              }
            `,
          ),
        )
      ).statusCode,
    ).toBe(200);
    const blocked = server.inject(
      publicationTo(
        'overtaken',
        gql`
          type Query {
            a: Int
            b: Int
          }
        `,
      ),
    );
    await judging;
    const abort = await server.inject({
      method: 'POST',
      url: '/v1/graphs/overtaken/environments/test/aborts',
      payload: { name: 'canary', release: { digest: 'f'.repeat(64) } },
    });
    expect([abort.statusCode, abort.json()]).toMatchObject([200, { document: { outcome: 'unchanged' } }]);
    release();
    expect((await blocked).statusCode).toBe(200);
    await server.close();
  }, 180_000);

  it('fail as unjudged where their deadline passes between two tasks of threads', async () => {
    const changeDeadline = (): AbortSignal => AbortSignal.abort(new DOMException('Late.', 'TimeoutError'));
    const server = await serverFor(pool, ['graph:publish:*'], { client: 'late', changeDeadline });
    const failed = await server.inject(
      publicationTo(
        'late',
        gql`
          type Query {
            a: Int
          }
        `,
      ),
    );
    expect([failed.statusCode, failed.json()]).toEqual([503, UNJUDGED]);
    await server.close();
  });
});
