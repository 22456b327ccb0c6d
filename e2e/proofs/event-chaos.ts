import { createRandom } from '@trellis/demo-data';
import { createPool } from '@trellis/postgres';
import { connectRedis } from '@trellis/redis';
import { createTemporaryDirectory, createTestDatabase, startTestRedis, type Proof } from '@trellis/testkit';
import { createContentServices } from '../harness/content-services.ts';
import { chooseFaults } from './content-chaos/faults.ts';
import { isClean, runChaos } from './content-chaos/run-chaos.ts';

/** Five seconds are promised; the small run shares its machine with other tests. */
const sizes = {
  small: { mutations: 300, kills: 5, wipes: 2, drainMs: 30_000 },
  full: { mutations: 10_000, kills: 50, wipes: 6, drainMs: 5_000 },
};

/** F-05 and F-06: writers, while relays, consumers, subgraphs and Redis die, and Redis loses its data. */
export const proof: Proof = {
  name: 'event-chaos',
  description:
    'no event is lost or applied twice (F-05, F-06) while subgraphs, relays, consumers and Redis are killed and Redis is wiped',
  async run({ size, seed }) {
    const { mutations, kills, wipes, drainMs } = sizes[size];
    const directory = createTemporaryDirectory();
    const [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    const pool = createPool({ connectionString: database.connectionString, schema: 'public' });
    const connection = connectRedis({ url: redis.url, name: 'chaos', onError: () => undefined });
    const services = await createContentServices({
      databaseUrl: database.connectionString,
      redisUrl: redis.url,
      replicas: 2,
      logDirectory: directory.path,
    });
    try {
      await services.start();
      const targets = { services, pool, redis, connection, random: createRandom(seed) };
      const faults = chooseFaults(targets, kills, wipes);
      const outcome = await runChaos({ services, pool, mutations, faults, seed });
      const { findings, ...figures } = outcome;
      return {
        passed: isClean(findings) && outcome.drainedMs <= drainMs,
        figures: { ...figures, kills, wipes, ...findings },
      };
    } finally {
      await services.stop();
      connection.disconnect();
      await pool.end();
      await Promise.all([database.drop(), redis.stop()]);
      directory.remove();
    }
  },
};
