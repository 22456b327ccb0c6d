import { createRandom } from '@trellis/demo-data';
import { connectRedis } from '@trellis/redis';
import { proof } from '@trellis/testkit';
import { chooseFaults } from './content-chaos/faults.ts';
import { isClean, runChaos } from './content-chaos/run-chaos.ts';
import { withServices } from './content-chaos/with-services.ts';

/** Five seconds are promised; the small run shares its machine with other tests. */
const sizes = {
  small: { mutations: 300, kills: 5, wipes: 2, drainMs: 30_000 },
  full: { mutations: 10_000, kills: 50, wipes: 6, drainMs: 5_000 },
};

/** F-05 and F-06: writers, while relays, consumers, subgraphs and Redis die, and Redis loses its data. */
proof({
  name: 'event-chaos',
  description:
    'no event is lost or applied twice (F-05, F-06) while subgraphs, relays, consumers and Redis are killed and Redis is wiped',
  run: ({ size, seed }) => {
    const { mutations, kills, wipes, drainMs } = sizes[size];
    return withServices(async ({ services, databases, redis, pool }) => {
      const connection = connectRedis({ url: redis.url, name: 'chaos', onError: () => undefined });
      const random = createRandom(seed);
      const faults = chooseFaults({ services, pool, redis, connection, random }, kills, wipes);
      const outcome = await runChaos({ services, databases, mutations, faults, seed });
      connection.disconnect();
      const { findings, ...figures } = outcome;
      return {
        passed: isClean(findings) && outcome.drainedMs <= drainMs,
        figures: { ...figures, kills, wipes, ...findings },
      };
    });
  },
});
