import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { gateway } from '@trellis/gateway';
import { FolderStore, generateRecordKey } from '@trellis/registry';
import { createLogger, createMetrics, type Deployable } from '@trellis/runtime';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TAG_LINK } from '../../testing/federation-link.ts';
import { startMocks, type Mocks } from '../development/start-mocks.ts';
import type { OutputOptions } from './command-outcome.ts';
import { publishCommand, type PublishOptions } from './publish-command.ts';
import { runRegistryAction } from './run-registry-action.ts';
import { statusCommand, type StatusOptions } from './status-command.ts';

const NUMBERS = print(gql`
  ${TAG_LINK}
  type Query {
    open: Int
    secret: Int @tag(name: "internal")
  }
`);

let directory: TemporaryDirectory;
let mocks: Mocks;
let env: Readonly<Record<string, string>>;
let served: Deployable;
const metrics = createMetrics('gateway');

const file = (name: string): string => join(directory.path, name);

async function publish(options: PublishOptions): Promise<{ readonly status: number; readonly out: string }> {
  let out = '';
  const output = { out: (text: string) => (out += text), error: (text: string) => (out += text) };
  return {
    status: await runRegistryAction<PublishOptions & OutputOptions>(publishCommand, options, env, output),
    out,
  };
}

function publishNumbers(sdl: string): Promise<{ readonly status: number; readonly out: string }> {
  mocks.set('numbers', sdl);
  writeFileSync(file('numbers.graphql'), sdl);
  return publish({
    subgraph: 'numbers',
    schema: file('numbers.graphql'),
    routingUrl: mocks.urlOf('numbers'),
  });
}

async function ask(query: string): Promise<{ readonly body: unknown; readonly version: string | null }> {
  const response = await fetch(`${served.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return { body: await response.json(), version: response.headers.get('trellis-supergraph') };
}

beforeAll(async () => {
  directory = createTemporaryDirectory();
  mocks = await startMocks();
  const key = await generateRecordKey();
  writeFileSync(file('trust.json'), JSON.stringify({ keys: [key] }));
  env = {
    TRELLIS_REGISTRY: file('registry'),
    TRELLIS_GRAPH: 'content@production',
    TRELLIS_SIGNING_KEY: JSON.stringify(key),
    TRELLIS_REGISTRY_TRUST: file('trust.json'),
  };
  await new FolderStore(file('registry')).initialize(AbortSignal.timeout(10_000));
  await publishNumbers(NUMBERS);
  await publish({ contract: 'partners', exclude: ['internal'] });
  const registry = {
    source: 'registry',
    graph: 'content@production',
    contract: 'partners',
    trust: 'trust.json',
    directory: 'cache',
    pollMs: 100,
    responseHeader: true,
  };
  writeFileSync(file('gateway.yaml'), JSON.stringify({ registry, introspection: true }));
  const config = gateway.readConfig({
    PORT: '0',
    SUPERGRAPH: 'registry',
    CONFIG: file('gateway.yaml'),
    NODE_ENV: 'development',
  });
  served = await gateway.start(config, {
    logger: createLogger({ service: 'gateway', level: 'silent' }),
    metrics,
  });
});
afterAll(async () => {
  await served.close();
  await mocks.close();
  directory.remove();
});

describe('A gateway with registry.contract', () => {
  it('serves what the contract shows; what it hides is unknown, and no schema names it', async () => {
    expect(await ask('{ open }')).toEqual({
      body: { data: { open: expect.any(Number) as number } },
      version: 'production.2+partners',
    });
    expect((await ask('{ secret }')).body).toMatchObject({
      errors: [{ message: expect.stringContaining('"secret"') as string }],
    });
    expect((await ask('{ __type(name: "Query") { fields { name } } }')).body).toEqual({
      data: { __type: { fields: [{ name: 'open' }] } },
    });
  });

  it('names the contract in health, in the metric, and to trellis status', async () => {
    const health = await fetch(`${served.url}/health/ready`);
    expect(await health.json()).toMatchObject({ supergraph: 'production.2+partners' });
    expect(await metrics.metrics()).toMatch(
      /trellis_gateway_supergraph_info\{[^}]*contract="partners"[^}]*\} 1/,
    );
    let out = '';
    const output = { out: (text: string) => (out += text), error: () => undefined };
    expect(
      await runRegistryAction<StatusOptions & OutputOptions>(
        statusCommand,
        { gateway: [served.url] },
        env,
        output,
      ),
    ).toBe(0);
    expect(out).toContain('serves production.2+partners\n');
  });

  it('goes on serving where a publication that breaks the contract is rejected, and follows one that keeps it', async () => {
    const hidden = await publishNumbers(
      NUMBERS.replace('open: Int', 'open: Int @tag(name: "internal") more: Int'),
    );
    expect([hidden.status, hidden.out]).toEqual([
      1,
      expect.stringContaining('breaking: partners: Query.open'),
    ]);
    const none = await publish({ contract: 'partners', include: ['nothing'] });
    expect([none.status, none.out]).toEqual([
      1,
      expect.stringContaining('The contract partners does not compose'),
    ]);
    mocks.set('numbers', NUMBERS.replace('open: Int', 'open: Int more: Int'));
    expect((await publishNumbers(NUMBERS.replace('open: Int', 'open: Int more: Int'))).status).toBe(0);
    await expect.poll(async () => (await ask('{ open more }')).version).toBe('production.3+partners');
    expect((await ask('{ secret }')).body).toHaveProperty('errors');
  });

  it('goes on serving what was good where the contract ends, and the metric says why', async () => {
    expect((await publish({ contract: 'partners', remove: true })).status).toBe(0);
    await expect
      .poll(() => metrics.metrics())
      .toMatch(/trellis_gateway_registry_rejections_total\{[^}]*reason="NO_CONTRACT"[^}]*\} 1/);
    expect(await ask('{ open more }')).toMatchObject({ version: 'production.3+partners' });
  });
});
