import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Proof } from '@trellis/testkit';
import type { ContentServices } from '../harness/content-services.ts';
import { eventually } from '../harness/deadline.ts';
import { isClean, runChaos, type Fault } from './content-chaos/run-chaos.ts';
import { withOwnPostgres } from './content-chaos/with-services.ts';

/** Five seconds are promised; the small run shares its machine with other tests. */
const sizes = {
  small: { mutations: 200, kills: 2, recoveryMs: 30_000 },
  full: { mutations: 10_000, kills: 5, recoveryMs: 5_000 },
};
const GIVE_UP_MS = 60_000;

/** F-09: writers, while the database server is killed and recovers. */
export const proof: Proof = {
  name: 'database-kill',
  description: 'no acknowledged mutation and no event is lost (F-09) while PostgreSQL is killed under load',
  run: ({ size, seed }) => {
    const { mutations, kills, recoveryMs } = sizes[size];
    return withOwnPostgres(async ({ services, pool, dataDirectory }) => {
      const recoveries: number[] = [];
      const kill: Fault = async () => {
        const startedAt = performance.now();
        process.kill(postmasterOf(dataDirectory), 'SIGKILL');
        await everybodyIsReady(services);
        recoveries.push(Math.round(performance.now() - startedAt));
      };
      const faults = Array.from({ length: kills }, () => kill);
      const { findings, ...figures } = await runChaos({ services, pool, mutations, faults, seed });
      const slowestRecoveryMs = Math.max(...recoveries);
      return {
        passed: isClean(findings) && slowestRecoveryMs <= recoveryMs,
        figures: { ...figures, kills, slowestRecoveryMs, ...findings },
      };
    });
  },
};

function postmasterOf(dataDirectory: string): number {
  return Number(readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Each process answers for its own connections. */
async function everybodyIsReady({ all }: ContentServices): Promise<void> {
  const isReady = async (url: string): Promise<boolean> =>
    (await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(4_000) })).ok;
  await Promise.all(all.map(({ url }) => eventually(() => isReady(url), Boolean, GIVE_UP_MS)));
}
