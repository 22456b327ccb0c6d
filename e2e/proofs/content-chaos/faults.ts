import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@trellis/demo-data';
import type { Pool } from '@trellis/postgres';
import type { RedisConnection } from '@trellis/redis';
import type { TestRedis } from '@trellis/testkit';
import type { ContentServices } from '../../harness/content-services.ts';
import { eventually } from '../../harness/deadline.ts';
import type { Fault } from './run-chaos.ts';

/** What faults break. */
export interface FaultTargets {
  readonly services: ContentServices;
  readonly pool: Pool;
  readonly redis: TestRedis;
  /** For commands to that Redis. */
  readonly connection: RedisConnection;
  readonly random: Random;
}

const STREAMS = ['users', 'posts', 'comments'].map((service) => `trellis:{events:${service}}:stream`);
const REDIS_DEADLINE_MS = 15_000;

// Each leadership (a relay, a consumer) is an advisory lock of a session.
const END_A_LEADER = `
  SELECT pg_terminate_backend(pid) FROM (
    SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND datname = current_database() AND application_name LIKE 'trellis-%-background'
    ORDER BY random() LIMIT 1
  ) AS leader`;

/** Kills a process of a service, with the relay and the consumers in it, and starts it again. */
export function killSubgraph({ services, random }: FaultTargets): Fault {
  return async () => {
    const victim = random.pick(services.all);
    await victim.kill();
    await victim.start();
  };
}

/** Ends the database session of someone who relays or consumes. */
export function endLeader({ pool }: FaultTargets): Fault {
  return async () => void (await pool.query(END_A_LEADER));
}

/** Kills Redis, and waits until it serves again. The in-process one can only be stopped and started. */
export function killRedis({ redis, connection }: FaultTargets): Fault {
  return async () => {
    const information = await connection.info('server');
    const pid = Number(/process_id:(\d+)/.exec(information)?.[1]);
    if (pid === process.pid) return redis.restart();
    process.kill(pid, 'SIGKILL');
    await eventually(() => connection.ping(), Boolean, REDIS_DEADLINE_MS);
  };
}

// In one script: no relay may come between.
const REPLACE_STREAM = `
  redis.call('DEL', KEYS[1])
  local at = 1
  while at < #ARGV do
    local last = at + 1 + tonumber(ARGV[at + 1])
    redis.call('XADD', KEYS[1], ARGV[at], unpack(ARGV, at + 2, last))
    at = last + 1
  end`;

/** Takes everything from Redis. */
export function wipeRedis({ connection }: FaultTargets): Fault {
  return async () => void (await connection.flushall());
}

/** Puts the streams back into the state of a moment ago, as a failover to a replica that lags does. */
export function failOverToStaleReplica({ connection }: FaultTargets): Fault {
  return async () => {
    const older = await Promise.all(
      STREAMS.map((stream) => connection.xrevrange(stream, '+', '-', 'COUNT', 50)),
    );
    await delay(300);
    for (const [index, entries] of older.entries()) {
      const oldestFirst = entries.toReversed().map(([id, fields]) => [id, fields.length, ...fields]);
      await connection.eval(REPLACE_STREAM, 1, STREAMS[index] ?? '', ...oldestFirst.flat());
    }
  };
}

/** A mix of kills in random order, with wipes spread among them. */
export function chooseFaults(targets: FaultTargets, kills: number, wipes: number): readonly Fault[] {
  const { random } = targets;
  const kinds = [killSubgraph, killSubgraph, killRedis, endLeader];
  const chosen = Array.from({ length: kills }, () => random.pick(kinds)(targets));
  const every = Math.ceil((kills + wipes) / (wipes + 1));
  for (let wipe = 0; wipe < wipes; wipe += 1) {
    const kind = wipe % 2 === 0 ? wipeRedis : failOverToStaleReplica;
    chosen.splice((wipe + 1) * every - 1, 0, kind(targets));
  }
  return chosen;
}
