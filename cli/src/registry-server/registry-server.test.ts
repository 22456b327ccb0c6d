import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gql } from 'graphql-tag';
import { gateway } from '@trellis/gateway';
import { queryChecked } from '@trellis/postgres';
import {
  HttpStore,
  openRegistry,
  parseLogName,
  registryAuthorization,
  TrustedKeys,
  verifyLog,
} from '@trellis/registry';
import { createMetrics } from '@trellis/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyCommand } from '../publish/history-commands.ts';
import { promoteCommand, rollbackCommand } from '../publish/move-commands.ts';
import { verifyCommand } from '../publish/verify-command.ts';
import { RegistryStage, silent } from '../../testing/registry-stage.ts';

const log = parseLogName('content@production');
const { signal } = new AbortController(); // never aborted: the limit of each test is its deadline
let stage: RegistryStage;

beforeAll(async () => {
  stage = await RegistryStage.start();
});

afterAll(() => stage.close());

describe('A registry over HTTP', () => {
  it('publishes for those who have the scope of the subgraph', async () => {
    expect(
      await stage.publish(
        'users',
        'users',
        gql`
          type Query {
            me: Int
            you: Int
          }
        `,
      ),
    ).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^published: content@production 1, /) as string,
    });
    expect(
      await stage.publish(
        'users',
        'users',
        gql`
          type Query {
            me: Int
            you: Int
          }
        `,
      ),
    ).toMatchObject({
      out: expect.stringMatching(/^already published/) as string,
    });
    expect(
      await stage.publish(
        'users',
        'posts',
        gql`
          type Query {
            posts: Int
          }
        `,
      ),
    ).toMatchObject({
      status: 77,
      error: expect.stringMatching(/^NO_RIGHT: .* no scope graph:publish:posts/) as string,
    });
    expect(
      (
        await stage.publish(
          'posts',
          'posts',
          gql`
            type Query {
              posts: Int
            }
          `,
        )
      ).status,
    ).toBe(0);
    const rejected = await stage.publish(
      'users',
      'users',
      gql`
        type Query {
          me: Int
        }
      `,
    );
    expect(rejected).toMatchObject({
      status: 1,
      out: expect.stringMatching(/FIELD_REMOVED[^]*nothing was changed/) as string,
    });
    expect((await stage.as('reader', historyCommand)).out).toMatch(
      / 2: publish, .*by posts.*\n.* 1: publish, .*by users/,
    );
    expect((await stage.as('reader', verifyCommand)).out).toMatch(
      /^verified: content@production, records: 2,/,
    );
  });

  it('rolls back and promotes for those who have the scope of the environment', async () => {
    await stage.publish(
      'operator',
      'users',
      gql`
        type Query {
          me: Int
          you: Int
          we: Int
        }
      `,
    );
    expect(await stage.as('users', rollbackCommand)).toMatchObject({
      status: 77,
      error: expect.stringContaining('graph:promote:production') as string,
    });
    expect((await stage.as('operator', rollbackCommand)).out).toMatch(/^rolled back: content@production 4/);
    expect(await stage.as('operator', promoteCommand, { from: 'production', to: 'staging' })).toMatchObject({
      status: 77,
    });
  });

  it('has a row for each action, rejected ones too', async () => {
    const row = { client: 'text?', action: 'text', outcome: 'text', sequence: 'int4?' } as const;
    const rows = await queryChecked(
      stage.pool,
      row,
      'SELECT client_id AS client, action, outcome, sequence FROM audit ORDER BY id',
    );
    expect(rows.slice(0, 5)).toEqual([
      { client: 'users', action: 'publish', outcome: 'published', sequence: 1 },
      { client: 'users', action: 'publish', outcome: 'already-published', sequence: null },
      { client: 'users', action: 'publish', outcome: 'NO_RIGHT', sequence: null },
      { client: 'posts', action: 'publish', outcome: 'published', sequence: 2 },
      { client: 'users', action: 'publish', outcome: 'rejected', sequence: null },
    ]);
  });

  it('serves readers that verify by themselves, and lets them wait for the next record', async () => {
    const authorize = registryAuthorization({ ...stage.environment, TRELLIS_REGISTRY_CLIENT_ID: 'reader' });
    const store = openRegistry(stage.registry.url, { authorize });
    const trust = await TrustedKeys.parse(stage.environment['TRELLIS_REGISTRY_TRUST'] ?? '');
    const head = await verifyLog(store, log, trust, { signal });
    const waiting = store.waitForRecord?.(log, head?.record.sequence ?? 0, signal);
    await stage.publish(
      'users',
      'users',
      gql`
        type Query {
          me: Int
          you: Int
          they: Int
        }
      `,
    );
    expect(await waiting).toBe((head?.record.sequence ?? 0) + 1);
    expect(await store.listLogs(signal)).toEqual([log]);
    await expect(store.createRecord(log, 99, 'x', signal)).rejects.toMatchObject({ code: 'NO_RIGHT' });
  });

  it('is followed by a gateway with the right to read', async () => {
    const [trust, config] = ['trust.json', 'gateway.yaml'].map((name) => join(stage.folder, name)) as [
      string,
      string,
    ];
    writeFileSync(trust, stage.environment['TRELLIS_REGISTRY_TRUST'] ?? '');
    const settings = { source: stage.registry.url, graph: 'content@production', trust };
    writeFileSync(config, JSON.stringify({ registry: settings }));
    const following = await gateway.start(
      gateway.readConfig({
        ...stage.environment,
        TRELLIS_REGISTRY_CLIENT_ID: 'reader',
        SUPERGRAPH: 'registry',
        CONFIG: config,
        PORT: '0',
      }),
      { logger: silent, metrics: createMetrics('gateway') },
    );
    try {
      const ready = await fetch(`${following.url}/health/ready`);
      expect(await ready.json()).toMatchObject({
        supergraph: expect.stringMatching(/^production\.\d+$/) as string,
      });
    } finally {
      await following.close();
    }
  });

  it('binds a right to publish to an environment', async () => {
    const graph = { graph: 'content@staging' };
    expect(
      (
        await stage.publish(
          'stager',
          'users',
          gql`
            type Query {
              me: Int
            }
          `,
          graph,
        )
      ).status,
    ).toBe(0);
    expect(
      (
        await stage.publish(
          'stager',
          'posts',
          gql`
            type Query {
              p: Int
            }
          `,
          graph,
        )
      ).status,
    ).toBe(77);
    expect(
      await stage.publish(
        'stager',
        'users',
        gql`
          type Query {
            me: Int
            them: Int
          }
        `,
      ),
    ).toMatchObject({
      status: 77,
      error: expect.stringContaining(
        'no scope graph:publish:<subgraph>, nor graph:publish-in:production',
      ) as string,
    });
  });

  it('warns where two composers differ, and rejects it where that is asked for', async () => {
    const union = gql`
      type Query {
        m: M @federation__shareable
      }
      type Book {
        id: ID! @federation__shareable
      }
      type Mag {
        id: ID!
      }
      union M = Book | Mag
    `;
    const member = gql`
      type Query {
        m: Book @federation__shareable
      }
      type Book {
        id: ID! @federation__shareable
      }
    `;
    const books = { graph: 'books@production' };
    await stage.publish('operator', 'catalog', union, books);
    expect(await stage.publish('operator', 'books', member, { ...books, composers: 'strict' })).toMatchObject(
      {
        status: 1,
        out: expect.stringMatching(/^error: COMPOSERS_DIFFER: [^]*nothing was changed/) as string,
      },
    );
    expect(await stage.publish('operator', 'books', member, { ...books, composers: 'apollo' })).toMatchObject(
      {
        status: 64,
        error: expect.stringContaining('This registry composes by both: leave --composers out.') as string,
      },
    );
    expect(await stage.publish('operator', 'books', member, books)).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^warning: COMPOSERS_DIFFER: [^]*published: books@production 2,/) as string,
    });
  });

  it('is unavailable in words', async () => {
    const gone = new HttpStore('http://127.0.0.1:1/');
    await expect(gone.readHead(log, signal)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
