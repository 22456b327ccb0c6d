import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { proof } from '@trellis/testkit';
import { contentServices, type ContentService } from '../harness/content-services.ts';
import { eventually } from '../harness/deadline.ts';
import { createReader, type Reader } from './content-chaos/reader.ts';
import { isClean, runChaos, type Fault } from './content-chaos/run-chaos.ts';
import { withPostgresEach } from './content-chaos/with-services.ts';

/** Five seconds are promised; the small run shares its machine with other tests. */
const sizes = {
  small: { mutations: 150, rounds: 1, together: 0, recoveryMs: 30_000 },
  full: { mutations: 10_000, rounds: 2, together: 2, recoveryMs: 5_000 },
};
const GIVE_UP_MS = 60_000;

/** F-09: writers, while the database server of each service in turn is killed and recovers, and of all at once. */
proof({
  name: 'database-kill',
  description:
    'no acknowledged mutation and no event is lost (F-09) while the PostgreSQL of each service in turn is killed under load, only its fields fail, and it recovers by itself',
  run: ({ size, seed }) => {
    const { mutations, rounds, together, recoveryMs } = sizes[size];
    return withPostgresEach(async ({ services, databases, dataDirectories }) => {
      const reader = createReader(services);
      const recoveries: number[] = [];
      const kill =
        (...victims: readonly ContentService[]): Fault =>
        async () => {
          const directories = victims.map((victim) => dataDirectories[victim]);
          const urls = victims.map((victim) => services.instances[victim][0]?.url ?? '');
          recoveries.push(await reader.readDuring(victims, () => killAndRecover(directories, urls)));
        };
      const faults = [
        ...Array.from({ length: rounds }, () => contentServices.map((service) => kill(service))).flat(),
        ...Array.from({ length: together }, () => kill(...contentServices)),
      ];
      const { findings, ...figures } = await runChaos({ services, databases, mutations, faults, seed });
      const slowestRecoveryMs = Math.max(...recoveries);
      return {
        passed: isClean(findings) && isWellRead(reader) && slowestRecoveryMs <= recoveryMs,
        figures: { ...figures, kills: faults.length, slowestRecoveryMs, ...reader.tally, ...findings },
      };
    });
  },
});

/** Some readers got errors, all in the shape of the graph, and none from a service whose database was available. */
function isWellRead({ tally: { fieldErrors, misshapenResponses, failuresElsewhere } }: Reader): boolean {
  return fieldErrors > 0 && misshapenResponses === 0 && failuresElsewhere === 0;
}

/** @returns milliseconds until new servers serve, and the services are ready again */
async function killAndRecover(directories: readonly string[], urls: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const killed = directories.map(postmasterOf);
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  const isReplaced = async (): Promise<boolean> =>
    directories.every((directory, index) => postmasterOf(directory) !== killed[index]);
  await eventually(isReplaced, Boolean, GIVE_UP_MS);
  await Promise.all(urls.map((url) => eventually(() => isReady(url), Boolean, GIVE_UP_MS)));
  return Math.round(performance.now() - startedAt);
}

function postmasterOf(dataDirectory: string): number {
  return Number(readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Each process answers for its own connections. */
async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(4_000) })).ok;
}
