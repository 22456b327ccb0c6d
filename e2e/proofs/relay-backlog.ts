import { setTimeout as delay } from 'node:timers/promises';
import { proof } from '@trellis/testkit';
import type { ServiceInstance } from '../harness/service-instance.ts';
import { readMetrics, sumOf } from '../harness/read-metrics.ts';
import { countProjectionDifferences } from './content-chaos/audit.ts';
import { isSettled } from './content-chaos/settled.ts';
import { withServices, type Databases } from './content-chaos/with-services.ts';

/** Events come in at 500 a second, for an hour in the full run. Five times that is promised on the way out. */
const sizes = {
  small: { events: 10_000, leastPerSecond: 200 },
  full: { events: 1_800_000, leastPerSecond: 2_500 },
};
const EVENTS_EACH = 10;
const GIVE_UP_MS = 1_200_000;
const SAMPLE_MS = 500;
const MAX_RESIDENT_MIB = 400;

const POSTS = `
  INSERT INTO posts.post (id, author_id, title, body, published, updated_at)
  SELECT gen_random_uuid(), gen_random_uuid(), 'Title', 'Words.', ${EVENTS_EACH} % 2 = 0, now()
  FROM generate_series(1, $1 / ${EVENTS_EACH})`;

/** Each post changes sides again and again; the last event says what the post is. */
const EVENTS = `
  INSERT INTO posts.outbox (id, type, subject, payload)
  SELECT gen_random_uuid(), 'post.saved', id, json_build_object('id', id, 'authorId', author_id, 'title', title,
    'body', body, 'tags', '[]'::json, 'published', round % 2 = 0, 'announced', false)
  FROM generate_series(1, ${EVENTS_EACH}) AS round CROSS JOIN posts.post ORDER BY round`;

/** F-18: what an hour without a relay has left is drained fast, in order, and in bounded memory. */
proof({
  name: 'relay-backlog',
  description:
    'a backlog of an hour at 500 events/s is drained at five times that rate in bounded memory (F-18)',
  run: ({ size }) => {
    const { events, leastPerSecond } = sizes[size];
    return withServices(async ({ services, databases, pool }) => {
      while (!(await isSettled(databases))) await delay(SAMPLE_MS);
      await services.stop();
      await pool.query(POSTS, [events]);
      await pool.query(EVENTS);
      await services.start();
      const { seconds, residentMiB } = await drain(databases, services.all);
      const perSecond = Math.round(events / seconds);
      const differences = await countProjectionDifferences(databases);
      return {
        passed: perSecond >= leastPerSecond && residentMiB <= MAX_RESIDENT_MIB && differences === 0,
        figures: { events, seconds: Math.round(seconds), perSecond, residentMiB, differences },
      };
    });
  },
});

async function drain(
  databases: Databases,
  instances: readonly ServiceInstance[],
): Promise<{ seconds: number; residentMiB: number }> {
  const startedAt = performance.now();
  let residentMiB = 0;
  while (!(await isSettled(databases))) {
    if (performance.now() - startedAt > GIVE_UP_MS) throw new Error('The backlog does not drain.');
    residentMiB = Math.max(residentMiB, ...(await Promise.all(instances.map(residentMiBOf))));
    await delay(SAMPLE_MS);
  }
  return { seconds: (performance.now() - startedAt) / 1_000, residentMiB };
}

async function residentMiBOf({ operations }: ServiceInstance): Promise<number> {
  return Math.round(sumOf(await readMetrics(operations), 'process_resident_memory_bytes') / 1_048_576);
}
