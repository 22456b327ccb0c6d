import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { choosePorts, startPlatform, type PlatformProcess } from '../harness/platform-process.ts';

const MIB = 1024 * 1024;

/** Idle memory of one process for all, besides PostgreSQL. */
const MOST_MEMORY_MIB = 350;

/** What is promised for two cores that do nothing else; a test run shares them with much else. */
const warmBudgetMs = { full: 8_000, small: 60_000 };

/** Measures a first start on an empty data directory, later starts, their end, and the memory in between. */
proof({
  name: 'platform-start',
  description:
    'the platform is ready within 8 s when warm, idles below 350 MiB besides PostgreSQL, ends within 10 s',
  async run({ size }) {
    const directory = createTemporaryDirectory();
    const options = { dataDirectory: join(directory.path, 'data'), ports: await choosePorts() };
    const starts = size === 'full' ? 5 : 1;
    try {
      const first = await measure(await startPlatform(options));
      const warm: Measured[] = [];
      for (let start = 0; start < starts; start += 1) warm.push(await measure(await startPlatform(options)));
      const figures = {
        starts,
        firstReadyMs: first.readyAfterMs,
        slowestWarmReadyMs: highest(warm.map(({ readyAfterMs }) => readyAfterMs)),
        slowestEndMs: highest([first, ...warm].map(({ endMs }) => endMs)),
        mostMemoryMiB: Math.round(highest([first, ...warm].map(({ memoryMiB }) => memoryMiB))),
        leftBehind: [first, ...warm].reduce((sum, { leftBehind }) => sum + leftBehind, 0),
      };
      const passed =
        figures.slowestWarmReadyMs < warmBudgetMs[size] &&
        figures.slowestEndMs < 10_000 &&
        figures.mostMemoryMiB < MOST_MEMORY_MIB &&
        figures.leftBehind === 0;
      return { passed, figures };
    } finally {
      directory.remove();
    }
  },
});

interface Measured {
  readonly readyAfterMs: number;
  readonly memoryMiB: number;
  readonly endMs: number;
  readonly leftBehind: number;
}

async function measure(platform: PlatformProcess): Promise<Measured> {
  await delay(3_000); // what a start leaves over is collected meanwhile
  const memoryMiB = memoryOf(platform);
  const { elapsedMs, leftBehind } = await platform.stop();
  return { readyAfterMs: platform.readyAfterMs, memoryMiB, endMs: elapsedMs, leftBehind: leftBehind.length };
}

function memoryOf(platform: PlatformProcess): number {
  const own = platform.processes().filter(({ command }) => !/postgres/.test(command));
  return own.reduce((sum, { residentBytes }) => sum + residentBytes, 0) / MIB;
}

function highest(numbers: readonly number[]): number {
  return Math.max(...numbers);
}
