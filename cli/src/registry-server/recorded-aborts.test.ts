import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  startSubgraph,
  startTestGateway,
  type SubgraphServer,
  type TestGateway,
} from '@trellis/gateway/testing';
import { queryChecked } from '@trellis/postgres';
import { until } from '@trellis/testkit';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyCommand } from '../publish/history-commands.ts';
import { setVariantCommand } from '../publish/variant-commands.ts';
import { RegistryStage } from '../../testing/registry-stage.ts';

/** So many that chance places enough of them on a canary of 30 %: 36, and fewer than 20 once in a thousand times. */
const CALLERS = 120;
const SCHEMA = gql`
  type Query {
    version: String
    other: String
  }
`;
const SDL = print(SCHEMA);

let stage: RegistryStage;
let subgraphs: readonly [good: SubgraphServer, failing: SubgraphServer];

function startVersion(isGood: boolean): Promise<SubgraphServer> {
  return startSubgraph({
    name: 'numbers',
    typeDefs: SCHEMA,
    resolvers: {
      Query: {
        other: () => 'same',
        version: (): string => {
          if (isGood) return 'good';
          throw new Error('it fails');
        },
      },
    },
  });
}

beforeAll(async () => {
  const [started, good, failing] = await Promise.all([
    RegistryStage.start(),
    startVersion(true),
    startVersion(false),
  ]);
  [stage, subgraphs] = [started, [good, failing]];
  await stage.publish('operator', 'numbers', SDL, { routingUrl: good.url });
  await stage.publish('operator', 'numbers', SDL, { routingUrl: failing.url, graph: 'content@staging' });
}, 180_000);

afterAll(async () => {
  await Promise.all(subgraphs.map((subgraph) => subgraph.close()));
  await stage.close();
});

/** A gateway that follows production over HTTP, as a client of the registry. */
async function gatewayOf(client: string): Promise<TestGateway> {
  const trust = join(stage.folder, 'trust.json');
  writeFileSync(trust, stage.environment['TRELLIS_REGISTRY_TRUST'] ?? '');
  const source = stage.registry.url;
  const registry = { source, graph: 'content@production', trust, responseHeader: true, pollMs: 100 };
  return startTestGateway({
    subgraphs: [subgraphs[0]],
    settings: JSON.stringify({ registry, http: { trustProxy: ['127.0.0.1'] } }),
    environment: { ...stage.environment, TRELLIS_REGISTRY_CLIENT_ID: client, SUPERGRAPH: 'registry' },
  });
}

/** Which version serves each caller. */
async function askAll(gateway: TestGateway, query: string): Promise<readonly string[]> {
  const asked = Array.from({ length: CALLERS }, (_, caller) =>
    gateway.post({ query }, { 'x-forwarded-for': `10.0.0.${caller}` }),
  );
  return (await Promise.all(asked)).map(({ headers }) => headers.get('trellis-supergraph') ?? '');
}

interface ShownRecord {
  readonly sequence: number;
  readonly action: string;
  readonly actor: string;
  readonly variants: readonly object[];
}

async function newest(): Promise<ShownRecord> {
  const { out } = await stage.as('reader', historyCommand, { format: 'json' });
  const { records } = JSON.parse(out) as { readonly records: readonly [ShownRecord] };
  return records[0];
}

/** Starts a canary whose subgraph fails, and sends requests until the gateway has stopped it. */
async function stopCanary(gateway: TestGateway): Promise<void> {
  const canary = { name: 'canary', from: 'staging', percent: '30', aborts: true };
  expect((await stage.as('operator', setVariantCommand, canary)).status).toBe(0);
  const version = `production.${(await newest()).sequence}`;
  await until(async () => (await askAll(gateway, '{ other }')).every((served) => served.startsWith(version)));
  const ofCanary = (await askAll(gateway, '{ other }')).filter((served) => served === `${version}/canary`);
  expect(ofCanary.length).toBeGreaterThan(4);
  await until(async () => (await askAll(gateway, '{ version }')).every((served) => !served.includes('/')));
}

function isLogged(gateway: TestGateway, message: string): boolean {
  return gateway.logged().some(({ msg }) => msg === message);
}

describe('A gateway that follows a registry over HTTP', () => {
  it('serves a canary, and has the server record that it stopped it', async () => {
    const gateway = await gatewayOf('gateway');
    try {
      await stopCanary(gateway);
      await until(async () => isLogged(gateway, 'canary abort recorded'));
      const { sequence, ...head } = await newest();
      expect(head).toMatchObject({ action: 'abort', actor: 'gateway', variants: [] });
      const row = { client: 'text?', outcome: 'text', sequence: 'int4?' } as const;
      const text = "SELECT client_id AS client, outcome, sequence FROM audit WHERE action = 'abort'";
      expect(await queryChecked(stage.pool, row, text)).toEqual([
        { client: 'gateway', outcome: 'abort', sequence },
      ]);
      const version = `production.${sequence}`;
      await until(async () => (await askAll(gateway, '{ version }')).every((served) => served === version));
    } finally {
      await gateway.close();
    }
  }, 120_000);

  it('stops it here alone where it has no right to say so, and logs that', async () => {
    const gateway = await gatewayOf('reader');
    try {
      await stopCanary(gateway);
      await until(async () =>
        isLogged(gateway, 'canary abort cannot be recorded; the registry still names it'),
      );
      expect(await newest()).toMatchObject({ action: 'canary', variants: [{ name: 'canary' }] });
    } finally {
      await gateway.close();
    }
  }, 120_000);
});
