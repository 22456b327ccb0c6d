import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRedisProgram, startEmbeddedRedis, type RedisProgram } from '@trellis/dev-stores';
import { connectRedis, type RedisConnection } from '@trellis/redis';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { eventually } from '../harness/deadline.ts';
import { canLimitFiles, limitFilesOf } from '../harness/file-size-limit.ts';
import { createReader } from './content-chaos/reader.ts';
import { isClean, runChaos, type Fault } from './content-chaos/run-chaos.ts';
import { withRedis } from './content-chaos/with-services.ts';

/** Five seconds are promised; the small run shares its machine with other tests. */
const sizes = {
  small: { mutations: 150, faults: 1, drainMs: 30_000 },
  full: { mutations: 3_000, faults: 3, drainMs: 5_000 },
};
/** The disk is full until writers have been answered this often. */
const RESPONSES = 30;
const GIVE_UP_MS = 60_000;

/** F-17: writers, while Redis can't write one byte more of its append-only file, and can again. */
proof({
  name: 'redis-full',
  description:
    'a full disk under Redis’ append-only file prevents no one from writing (F-17): mutations are answered, their events wait, and are published when there is space again',
  run: ({ size, seed }) => {
    const program = findRedisProgram(process.env['PATH'] ?? '');
    return program && canLimitFiles()
      ? prove(program, sizes[size], seed)
      : Promise.resolve({
          passed: true,
          figures: { skipped: 'no redis-server or no prlimit on this machine' },
        });
  },
});

async function prove(
  program: RedisProgram,
  { mutations, faults, drainMs }: (typeof sizes)['small'],
  seed: number,
) {
  const directory = createTemporaryDirectory();
  const redis = await startEmbeddedRedis({
    directory: join(directory.path, 'redis'),
    path: survivingItsLimit(program, directory.path),
    password: 'test',
  });
  const connection = connectRedis({ url: redis.url, name: 'full', onError: () => undefined });
  try {
    return await withRedis(redis, async ({ services, databases }) => {
      const reader = createReader(services);
      const figures = { timesFull: 0, respondsMeanwhile: 0 };
      const fault: Fault = ({ acknowledged }) =>
        reader.readDuring([], async () => {
          const pid = await processOf(connection);
          limitFilesOf(pid, String(largestFile(join(directory.path, 'redis'))));
          await eventually(
            () => writes(connection),
            (outcome) => outcome === 'MISCONF',
            GIVE_UP_MS,
          );
          const before = acknowledged();
          await eventually(
            () => Promise.resolve(acknowledged()),
            (count) => count >= before + RESPONSES,
            GIVE_UP_MS,
          );
          if ((await writes(connection)) === 'MISCONF') figures.timesFull += 1;
          figures.respondsMeanwhile += acknowledged() - before;
          limitFilesOf(pid, 'unlimited');
          await eventually(
            () => writes(connection),
            (outcome) => outcome === 'OK',
            GIVE_UP_MS,
          );
        });
      const { findings, ...counts } = await runChaos({
        services,
        databases,
        mutations,
        faults: Array.from({ length: faults }, () => fault),
        seed,
      });
      const { reads, misshapenResponses, failuresElsewhere } = reader.tally;
      const isUnharmed = figures.timesFull === faults && misshapenResponses + failuresElsewhere === 0;
      return {
        passed: isClean(findings) && isUnharmed && counts.drainedMs <= drainMs,
        figures: { ...counts, ...figures, reads, misshapenResponses, failuresElsewhere, ...findings },
      };
    });
  } finally {
    connection.disconnect();
    await redis.stop();
    directory.remove();
  }
}

/** A process that writes past a limit gets SIGXFSZ and dies of it; to get "no space" as from a disk, it must ignore that. */
function survivingItsLimit({ command }: RedisProgram, directory: string): string {
  const file = join(directory, 'redis-server');
  writeFileSync(file, `#!/bin/sh\ntrap '' XFSZ\nexec '${command}' "$@"\n`);
  chmodSync(file, 0o755);
  return directory;
}

async function processOf(connection: RedisConnection): Promise<string> {
  return /process_id:(\d+)/.exec(await connection.info('server'))?.[1] ?? '';
}

/** The append-only file: there is no other of its size. */
function largestFile(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return Math.max(...names.map((name) => statSync(join(directory, name)).size));
}

/** What Redis says to a write: OK, or the first word of its rejection. */
async function writes(connection: RedisConnection): Promise<string> {
  return connection
    .set('probe', '1')
    .catch((error: unknown) => String(error).replace(/^.*?Error: (\w+).*$/s, '$1'));
}
