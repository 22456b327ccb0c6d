import { requireService, type ServiceTokenVerifier } from '@trellis/subgraph-protocol';
import type { Pool } from '@trellis/postgres';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { GONE, type SnapshotPage } from './event-source.ts';
import { createOutboxLog, type OutboxLog } from './outbox-log.ts';

/** What {@link addEventRoutes} serves. */
export interface EventRoutesOptions {
  readonly pool: Pool;
  readonly verifier: ServiceTokenVerifier;
  /** The services that may read. */
  readonly readers: readonly string[];
  /** Reads a page of what the service holds now, in the order of ids. */
  readonly readSnapshot: (after: string | null, limit: number) => Promise<SnapshotPage>;
}

const MAX_EVENTS = 1_000;
const SNAPSHOT_PAGE = 1_000;

const eventsQuery = z.object({
  after: z.coerce.number().int().min(0),
  limit: z.coerce.number().int().min(1).max(MAX_EVENTS).default(MAX_EVENTS),
});
const snapshotQuery = z.object({ after: z.uuid().optional() });

/** Adds the routes by which other services catch up: `GET /internal/events` and `GET /internal/snapshot`. */
export function addEventRoutes(server: FastifyInstance, options: EventRoutesOptions): void {
  const log = createOutboxLog(options.pool);
  const guarded = { preHandler: requireService(options.verifier, options.readers) };
  server.get('/internal/events', guarded, async ({ query }, reply) => {
    const wanted = eventsQuery.safeParse(query);
    return wanted.success
      ? sendEvents(log, wanted.data, reply)
      : reply.status(400).send({ error: 'bad_query' });
  });
  server.get('/internal/snapshot', guarded, async ({ query }, reply) => {
    const wanted = snapshotQuery.safeParse(query);
    if (!wanted.success) return reply.status(400).send({ error: 'bad_query' });
    return reply.send(await options.readSnapshot(wanted.data.after ?? null, SNAPSHOT_PAGE));
  });
}

/** The head is read first: what it counts has its number, and a reader that reads up to it misses nothing. */
async function sendEvents(
  log: OutboxLog,
  { after, limit }: z.infer<typeof eventsQuery>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const head = await log.head();
  const events = await log.readAfter(after, limit);
  const missing = after < head && events[0]?.seq !== after + 1;
  return missing ? reply.status(GONE).send({ error: 'gone' }) : reply.send({ head, events });
}
