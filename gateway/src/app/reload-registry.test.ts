import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@trellis/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { startRegistryWorld, type RegistryWorld } from '../testing/reloads/registry-world.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

let world: RegistryWorld;
beforeEach(async () => {
  world = await startRegistryWorld();
});
afterEach(() => world.close());

const settings = (more: object = {}): object => ({
  registry: {
    source: world.first.folder,
    graph: 'library@production',
    trust: world.trust,
    pollMs: 100,
    responseHeader: true,
    ...more,
  },
});
const version = async (): Promise<string | null> =>
  (await world.gateway.post({ query: '{ one }' })).headers.get('trellis-supergraph');
const logs = (text: string): number => world.gateway.logged().filter(({ msg }) => msg === text).length;

describe('A registry that a reload names', () => {
  it.each<[string, Readonly<Record<string, string | undefined>>, RegExp]>([
    ['does not exist', { source: '/nowhere' }, /registry: /],
    ['is signed by other keys', { trust: 'second' }, /registry: /],
    ['has no such environment', { graph: 'library@nowhere' }, /registry: .*library@nowhere/],
    ['has no such contract', { contract: 'unknown' }, /registry: .*unknown/],
    [
      'has no keys in its file',
      { trust: '/nowhere.json' },
      /registry: .*There is no file or directory for \/nowhere\.json\./,
    ],
    ['is not named at all', { source: undefined }, /registry\.source: it is needed/],
  ])('is rejected if it %s, and the one before is followed on', async (_what, { trust, ...more }, reason) => {
    const { gateway, first, second } = world;
    const named = trust === 'second' ? second.trustFile : (trust ?? world.trust);
    await expect(gateway.reload(settings({ ...more, trust: named }))).rejects.toThrow(reason);
    expect(await version()).toBe('production.1');
    await first.append({});
    await until(async () => (await version()) === 'production.2');
  });

  it('replaces the one before without a request that fails', async () => {
    const { gateway, first, second } = world;
    const sending = new AbortController();
    const failed: unknown[] = [];
    const clients = Array.from({ length: 4 }, async () => {
      while (!sending.signal.aborted) {
        const { body } = await gateway.post({ query: '{ one }' });
        if (body.errors) failed.push(body.errors);
      }
    });
    for (let time = 0; time < 3; time += 1) {
      await gateway.reload(settings({ source: second.folder }));
      expect((await gateway.post({ query: '{ two }' })).body.errors).toBeUndefined();
      await gateway.reload(settings({ source: first.folder }));
      expect((await gateway.post({ query: '{ two }' })).body.errors).toHaveLength(1);
    }
    sending.abort();
    await Promise.all(clients);
    expect(failed).toEqual([]);
  });

  it('is the only one that is read, and what served before is planned for no longer', async () => {
    const { gateway, first, second } = world;
    const { planner, supergraphs } = gateway.inside().resources;
    const before = supergraphs.current();
    const retire = vi.spyOn(planner, 'retire');
    const changes: Supergraph[] = [];
    supergraphs.onChange((retired) => changes.push(...retired));
    await gateway.reload(settings({ source: second.folder }));
    expect([retire.mock.calls, changes]).toEqual([[[before]], [before]]);
    rmSync(first.folder, { recursive: true });
    await pause(500); // several looks
    expect(logs('registry rejected; keeping the current version')).toBe(0);
    await second.append({});
    await until(async () => (await version()) === 'production.2');
    expect(changes).toHaveLength(1); // the same release serves on
  });

  it('leaves nothing behind, and is in no log or metric, if it does not come into force', async () => {
    const { gateway, second } = world;
    const { configuration, resources } = gateway.inside();
    const retire = vi.spyOn(resources.planner, 'retire');
    const loaded = logs('supergraph loaded');
    const changed = vi.fn();
    resources.supergraphs.onChange(changed);
    await expect(
      gateway.reload({
        ...settings({ source: second.folder }),
        usage: { directory: join(second.trustFile, 'below-a-file') }, // opened after the registry
      }),
    ).rejects.toThrow(/usage\.directory/);
    await until(() => retire.mock.calls.length === 1);
    expect(retire.mock.calls[0]?.[0]).not.toBe(configuration.services.supergraphs.current());
    rmSync(second.folder, { recursive: true });
    await pause(500); // several looks
    expect([logs('supergraph loaded'), logs('registry rejected; keeping the current version')]).toEqual([
      loaded,
      0,
    ]);
    expect(changed).not.toHaveBeenCalled();
  });

  it('does not keep the gateway from ending while it does not respond', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const reloading = world.gateway.reload(settings({ source: `http://127.0.0.1:${port}` }));
    await once(server, 'request');
    await world.gateway.close();
    await reloading;
    server.closeAllConnections();
    server.close();
  });

  it('is verified again when the file of its keys changes', async () => {
    const { gateway, second, trust } = world;
    writeFileSync(trust, JSON.stringify({ keys: second.trust.keys }));
    await until(() => logs('invalid configuration; keeping the current one') === 1);
    expect(await version()).toBe('production.1');
    expect(gateway.inside().resources.supergraphs.problem()).toBeUndefined();
  });
});

describe('A reload that fails', () => {
  const isCurrent = async (): Promise<string | undefined> =>
    /\ntrellis_gateway_configuration_current\S* (\d)/.exec(await world.gateway.metrics.metrics())?.[1];

  it('is tried again where what the file names may be there later', async () => {
    const { gateway, second } = world;
    const source = join(second.folder, '../moved');
    expect(await isCurrent()).toBe('1');
    await expect(gateway.reload(settings({ source }))).rejects.toThrow(/registry: /);
    expect(await isCurrent()).toBe('0');
    renameSync(second.folder, source);
    await until(async () => (await gateway.post({ query: '{ two }' })).body.errors === undefined);
    expect(await isCurrent()).toBe('1');
  });

  it('waits for another file where this one is invalid', async () => {
    await expect(world.gateway.reload({ unknown: true })).rejects.toThrow(/unknown/);
    const retries = world.gateway.logged().filter(({ retryMs }) => retryMs !== undefined);
    expect([retries, await isCurrent()]).toEqual([[], '0']);
    await world.gateway.reload(settings());
    expect(await isCurrent()).toBe('1');
  });
});

describe('The registry of several workers', () => {
  it('is another one for all of them after a change of the file', async () => {
    const { first, second, trust, main } = world;
    const text = (source: string): string => JSON.stringify(settings({ source, trust }));
    const workers = await startTestGateway({
      subgraphs: [main],
      settings: text(first.folder),
      environment: { SUPERGRAPH: 'registry', WORKERS: '2' },
    });
    try {
      const isServed = async (): Promise<boolean> =>
        (await workers.post({ query: '{ two }' }, { connection: 'close' })).body.errors === undefined;
      expect(await isServed()).toBe(false);
      writeFileSync(join(workers.directory, 'gateway.yaml'), text(second.folder));
      await until(async () => {
        const served = await Promise.all(Array.from({ length: 8 }, isServed)); // workers take turns
        return served.every(Boolean);
      });
    } finally {
      await workers.close();
    }
  });
});
