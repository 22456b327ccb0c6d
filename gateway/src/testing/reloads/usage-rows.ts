import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readOperations, type RecordedOperation } from '@trellis/composition';
import { until } from '@trellis/testkit';
import type { LiveRow, LiveRows } from './live-row.ts';
import type { ReloadWorld } from './reload-world.ts';

/** Longer than any test: nothing is written until a reload says so. */
const NEVER_S = 86_400;
/** Within which an interval of a second is written, milliseconds. */
const SOON_MS = 2_500;

/** What was recorded of an operation in a folder. */
async function recordedIn(folder: string, name: string): Promise<RecordedOperation | undefined> {
  const { operations } = await readOperations([folder]);
  return operations.find(({ document }) => document.includes(` ${name}{`));
}

/** Sends an operation that was never recorded before. @returns its name */
async function sendNamed({ ask, next }: ReloadWorld, headers?: Record<string, string>): Promise<string> {
  const name = `Counted${next()}`;
  await ask(`query ${name} { open }`, headers);
  return name;
}

/** Has what was counted written, by a change of what bounds an interval. */
function flush({ gateway }: ReloadWorld, settings: object, bound: 'documents' | 'rows'): Promise<void> {
  const { usage } = settings as { readonly usage: object }; // every row here has some
  return gateway.reload({ ...settings, usage: { ...usage, [bound]: 77 } });
}

/** Where and how often usage is recorded, and how much of it. */
export function usageRows({ gateway, recorder }: ReloadWorld): LiveRows {
  const folderOf = (name: string): string => join(gateway.directory, 'usage', name);
  const collector = `${recorder.url}/first/v1/logs`;
  const sentTo =
    (what: (one: (typeof recorder.received)[number]) => unknown): LiveRow['see'] =>
    async (world) => {
      const name = await sendNamed(world);
      const sent = (): typeof recorder.received =>
        recorder.received.filter(({ body }) => body.includes(` ${name}{`));
      await until(() => sent().length > 0);
      return sent().map(what);
    };
  return {
    'usage.directory': {
      beside: { usage: { intervalS: 1 } },
      from: folderOf('first'),
      to: folderOf('second'),
      see: async (world) => {
        const name = await sendNamed(world);
        const found = async (): Promise<readonly boolean[]> =>
          Promise.all(
            ['first', 'second'].map(async (one) => {
              const recorded = await recordedIn(folderOf(one), name).catch(() => undefined); // it may not be there yet
              return recorded !== undefined;
            }),
          );
        await until(async () => (await found()).includes(true));
        return found();
      },
    },
    'usage.collector.endpoint': {
      beside: { usage: { intervalS: 1 } },
      from: collector,
      to: `${recorder.url}/second/v1/logs`,
      see: sentTo(({ url }) => url),
    },
    'usage.collector.headers': {
      beside: { usage: { intervalS: 1, collector: { endpoint: collector } } },
      to: { 'x-collector': 'secret' },
      see: sentTo(({ headers }) => headers['x-collector']),
    },
    'usage.intervalS': {
      beside: { usage: { directory: folderOf('interval') } },
      from: 1,
      to: NEVER_S,
      see: async (world) => {
        const name = await sendNamed(world);
        for (const waitingSince = Date.now(); Date.now() - waitingSince < SOON_MS; await pause(100))
          if ((await recordedIn(folderOf('interval'), name)) !== undefined) return true;
        return false;
      },
    },
    'usage.documents': {
      beside: { usage: { directory: folderOf('documents'), intervalS: NEVER_S } },
      to: 1,
      see: async (world, settings) => {
        const names = [await sendNamed(world), await sendNamed(world)];
        await flush(world, settings, 'rows');
        const first = (): Promise<RecordedOperation | undefined> =>
          recordedIn(folderOf('documents'), names[0] ?? '');
        await until(async () => (await first()) !== undefined);
        const recorded = await Promise.all(names.map((name) => recordedIn(folderOf('documents'), name)));
        return recorded.map((one) => one !== undefined);
      },
    },
    'usage.rows': {
      beside: { usage: { directory: folderOf('rows'), intervalS: NEVER_S } },
      to: 1,
      see: async (world, settings) => {
        const name = `Counted${world.next()}`;
        for (const client of ['web', 'ios'])
          await world.ask(`query ${name} { open }`, { 'graphql-client-name': client });
        await flush(world, settings, 'documents');
        await until(async () => (await recordedIn(folderOf('rows'), name)) !== undefined);
        return (await recordedIn(folderOf('rows'), name))?.clients.map((one) => one.name);
      },
    },
  };
}
