import cluster from 'node:cluster';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, createMetrics } from '@trellis/runtime';
import { stampFile } from '@trellis/runtime/watch-file';
import { createTemporaryDirectory, until } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readGatewayConfig } from '../config/config.ts';
import { readSettings } from '../config/read-settings.ts';
import { compose } from '../testing/compose.ts';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../testing/test-gateway.ts';
import { startGateway } from './start-gateway.ts';

let graph: LibraryGraph;

beforeAll(async () => {
  graph = await startLibraryGraph();
});
afterAll(() => graph.close());

const PUBLIC = '{ public }';
const INTROSPECTION = '{ __schema { queryType { name } } }';

const listed = (...texts: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(texts.map((text, index) => [`id${index}`, text])));
const safelistOf = (manifest: string): string =>
  `persistedQueries: { mode: safelist, manifests: [${manifest}] }`;

async function start(options: Omit<TestGatewayOptions, 'subgraphs'>): Promise<TestGateway> {
  const gateway = await startTestGateway({ subgraphs: graph.all, ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}

const write = ({ directory }: TestGateway, name: string, text: string): void =>
  writeFileSync(join(directory, name), text);

/** Whether an operation is executed. One connection a request, so that workers take turns. */
async function isExecuted(gateway: TestGateway, query: string): Promise<boolean> {
  const { body } = await gateway.post({ query }, { connection: 'close' });
  return body.errors === undefined;
}

/** Waits until all workers do so: they take turns. */
async function untilAll(gateway: TestGateway, query: string, expected: boolean): Promise<void> {
  await until(
    async () => {
      for (let turn = 0; turn < 6; turn += 1)
        if ((await isExecuted(gateway, query).catch(() => !expected)) !== expected) return false;
      return true;
    },
    `${query} is ${expected ? '' : 'not '}executed by all workers`,
  );
}

/** Kills every worker, and waits for others. @returns what became of an operation at them */
async function replaceWorkers(gateway: TestGateway, query: string): Promise<ReadonlySet<boolean>> {
  const before = processIds();
  for (const id of before) process.kill(id, 'SIGKILL');
  await until(() => processIds().every((id) => !before.includes(id))); // what was being handed to them is lost with them
  const executed = new Set<boolean>();
  const asked = (): Promise<unknown> => isExecuted(gateway, query).then((is) => executed.add(is));
  await until(() => asked().then(Boolean, () => false), 'the port is open again');
  for (let turn = 0; turn < 6; turn += 1) await asked();
  return executed;
}

const processIds = (): readonly number[] =>
  Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);

describe('A worker that replaces another', { timeout: 240_000 }, () => {
  const files = { 'old.json': listed(PUBLIC, INTROSPECTION), 'new.json': listed(PUBLIC) };
  let gateway: TestGateway;
  /** What is in force from now on. */
  const restore = (): void => {
    for (const [name, text] of Object.entries(files)) write(gateway, name, text);
    write(gateway, 'gateway.yaml', safelistOf('new.json'));
  };

  beforeAll(async () => {
    gateway = await startTestGateway({
      subgraphs: graph.all,
      environment: { WORKERS: '2' },
      settings: safelistOf('old.json'),
      files,
    });
    restore();
    await untilAll(gateway, INTROSPECTION, false);
  });
  afterAll(() => gateway.close());

  it.each<[string, string, () => void]>([
    ['files that the gateway began with are gone', '1', () => rmSync(join(gateway.directory, 'old.json'))],
    ['the file is invalid by then', '0', () => write(gateway, 'gateway.yaml', 'nonsense: 1')],
    ['a file that it names is gone by then', '0', () => rmSync(join(gateway.directory, 'new.json'))],
  ])('begins with what is in force, where %s', async (_what, isCurrent, spoil) => {
    spoil();
    expect(await replaceWorkers(gateway, INTROSPECTION)).toEqual(new Set([false]));
    expect(await isExecuted(gateway, PUBLIC)).toBe(true);
    await until(async () => (await currentOf(gateway)) === isCurrent, `the gauge is ${isCurrent}`);
    restore();
    await until(async () => (await currentOf(gateway)) === '1', 'the file is in force again');
  });
});

/** Whether the file as it is now is in force, by the gauge. */
async function currentOf({ metrics }: TestGateway): Promise<string | undefined> {
  const text = await metrics.metrics();
  return /^trellis_gateway_configuration_current(?:\{.*\})? (\d)$/m.exec(text)?.[1];
}

describe('A file of the configuration', () => {
  it('that changes between its reading and the start comes into force', async () => {
    const directory = createTemporaryDirectory();
    onTestFinished(() => directory.remove());
    const [supergraph, file] = ['supergraph.graphql', 'gateway.yaml'].map((name) =>
      join(directory.path, name),
    ) as [string, string]; // of as many
    writeFileSync(supergraph, compose(graph.all));
    writeFileSync(file, 'pages: { title: Old }');
    const config = readGatewayConfig({ PORT: '0', SUPERGRAPH: supergraph, CONFIG: file });
    writeFileSync(file, 'pages: { title: New one }');
    const logger = createLogger({ service: 'gateway', level: 'silent' });
    const gateway = await startGateway(config, { logger, metrics: createMetrics('gateway') });
    onTestFinished(() => gateway.close());
    await until(() => gateway.config?.().settings.pages?.title === 'New one', 'it is reloaded');
  });

  it('is stamped before it is read, and so are those that it names', () => {
    const directory = createTemporaryDirectory();
    onTestFinished(() => directory.remove());
    const [named, file] = ['title', 'gateway.yaml'].map((name) => join(directory.path, name)) as [
      string,
      string,
    ]; // of as many
    writeFileSync(named, 'Old');
    writeFileSync(file, 'pages: { title: "${file.title}", clientId: "${env.CLIENT}" }');
    const environment = {
      get CLIENT() {
        for (const path of [named, file]) writeFileSync(path, 'changed while they are read');
        return 'client';
      },
    };
    const { files } = readSettings(file, environment);
    expect(files.map(({ path }) => path)).toEqual([file, named]);
    for (const one of files) expect(one).not.toEqual(stampFile(one.path));
  });

  it('that an invalid one names, and that was absent, is looked for', async () => {
    const gateway = await start({ settings: '{}' });
    await expect(
      gateway.reload({ persistedQueries: { mode: 'safelist', manifests: ['late.json'] } }),
    ).rejects.toThrow('late.json');
    expect(await isExecuted(gateway, INTROSPECTION)).toBe(true);
    write(gateway, 'late.json', listed(PUBLIC));
    await until(async () => !(await isExecuted(gateway, INTROSPECTION)), 'the list is in force');
  });
});
