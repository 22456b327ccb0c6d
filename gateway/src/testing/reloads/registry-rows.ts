import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { outcomeOf, type LiveRow, type LiveRows } from './live-row.ts';
import type { RegistryWorld } from './registry-world.ts';

/** Longer than any test. */
const NEVER_MS = 3_600_000;
/** Within which a record is served that is looked for every 100 ms. */
const SOON_MS = 1_500;

/** Which registry is followed, and what is taken of it: seen at a gateway that follows one. */
export function registryRows(world: RegistryWorld): LiveRows {
  const { gateway, first, second, varied, trust, previewKeys, token } = world;
  const followed = { graph: 'library@production', trust, pollMs: 100, responseHeader: true };
  const beside = (more: object = {}): object => ({
    registry: { ...followed, source: first.folder, ...more },
  });
  const inVaried = beside({ source: varied.folder });
  const directory = join(first.folder, '../copies');
  /** Has the gateway that follows a registry reload the settings, too. */
  const after =
    (look: () => unknown): LiveRow['see'] =>
    async (_world, settings) => {
      await gateway.reload(settings);
      return look();
    };
  const version = async (headers: Readonly<Record<string, string>> = {}): Promise<string | null> =>
    (await gateway.post({ query: '{ one }' }, headers)).headers.get('trellis-supergraph');
  return {
    'registry.source': {
      beside: { registry: followed },
      from: first.folder,
      to: second.folder,
      see: after(async () => outcomeOf(await gateway.post({ query: '{ two }' }))),
    },
    'registry.graph': {
      beside: beside(),
      from: 'library@production',
      to: 'library@staging',
      see: after(async () => (await version())?.split('.')[0]),
    },
    'registry.contract': {
      beside: beside(),
      to: 'partners',
      see: after(async () => (await version())?.split('+')[1]),
    },
    'registry.trust': {
      beside: beside(),
      from: first.trustFile,
      to: second.trustFile,
      see: (_world, settings) =>
        gateway.reload(settings).then(
          () => 'followed',
          (error: unknown) => (error as Error).message.includes('registry: '),
        ),
    },
    'registry.directory': {
      beside: beside(),
      to: directory,
      see: after(() => {
        const exists = existsSync(directory);
        rmSync(directory, { recursive: true, force: true });
        return exists;
      }),
    },
    'registry.pollMs': {
      beside: beside({ source: second.folder }),
      from: NEVER_MS,
      to: 100,
      see: after(async () => {
        await pause(SOON_MS / 5); // the look that ends a pause is over
        const before = await version();
        await second.append({});
        for (const since = Date.now(); Date.now() - since < SOON_MS; await pause(50))
          if ((await version()) !== before) return true;
        return false;
      }),
    },
    'registry.previewKeys': {
      beside: inVaried,
      from: previewKeys.right,
      to: previewKeys.wrong,
      see: after(async () => (await version({ 'x-preview': token }))?.endsWith('/preview')),
    },
    'registry.aborts': {
      beside: inVaried,
      from: true,
      to: false,
      see: after(() => gateway.inside().configuration.services.generations.active?.trial !== undefined),
    },
    'registry.responseHeader': { beside: beside(), from: true, to: false, see: after(() => version()) },
  };
}
