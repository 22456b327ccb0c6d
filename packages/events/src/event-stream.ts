import type { RedisConnection } from '@trellis/redis';
import { eventStreamName } from '@trellis/subgraph-protocol/redis-names';
import type { SequencedEvent } from './domain-event.ts';

/** An event as the stream carries it. A payload that is too large to be stored in memory twice is left out. */
export interface StreamedEvent extends Omit<SequencedEvent, 'payload'> {
  /** Undefined when it must be read from the service that publishes it. */
  readonly payload: unknown;
  readonly complete: boolean;
}

/** A service's events in Redis: fast, and allowed to be lost. */
export interface EventStream {
  /** About how many events it keeps. */
  readonly maxLength: number;
  /** The smallest number in the stream; 0 when it is empty. */
  first(): Promise<number>;
  /** The greatest number in the stream; 0 when it is empty. */
  last(): Promise<number>;
  /** Reads on from a number what exists, without waiting. */
  readRange(seq: number, limit: number): Promise<readonly StreamedEvent[]>;
  /** Adds events, whose numbers follow one another. Those that it has already are left alone. */
  add(events: readonly SequencedEvent[]): Promise<void>;
  /** Forgets everything. */
  clear(): Promise<void>;
  /**
   * Reads on from a number; waits at most `waitMs` for the first event.
   *
   * @param connection one that no one else uses: it is blocked while it waits
   */
  readAfter(
    connection: RedisConnection,
    seq: number,
    limit: number,
    waitMs: number,
  ): Promise<readonly StreamedEvent[]>;
}

/** Settings of {@link createEventStream}. */
export interface EventStreamOptions {
  readonly redis: RedisConnection;
  /** The service whose events these are. */
  readonly service: string;
  /** About how many events the stream keeps. @default 10_000 */
  readonly maxLength?: number;
}

/** UTF-16 code units of a payload's JSON. */
const MAX_PAYLOAD_LENGTH = 16_384;

type Entry = readonly [id: string, fields: readonly string[]];

/** The stream of a service. All its keys share a hash tag, so that a cluster keeps them together. */
export function createEventStream({ redis, service, maxLength = 10_000 }: EventStreamOptions): EventStream {
  const key = eventStreamName(service);
  return {
    maxLength,
    first: async () => {
      const [oldest] = (await redis.xrange(key, '-', '+', 'COUNT', 1)) as Entry[];
      return oldest ? seqOf(oldest) : 0;
    },
    last: async () => {
      const [newest] = (await redis.xrevrange(key, '+', '-', 'COUNT', 1)) as Entry[];
      return newest ? seqOf(newest) : 0;
    },
    add: async (events) => {
      const pipeline = redis.pipeline();
      for (const event of events) {
        pipeline.xadd(key, 'MAXLEN', '~', maxLength, `${event.seq}-0`, ...fieldsOf(event));
      }
      const outcomes = (await pipeline.exec()) ?? [];
      for (const [error] of outcomes) if (error && !existsAlready(error)) throw error;
    },
    readRange: async (seq, limit) =>
      ((await redis.xrange(key, `${seq + 1}-0`, '+', 'COUNT', limit)) as Entry[]).map(eventOf),
    clear: async () => {
      await redis.del(key);
    },
    readAfter: async (connection, seq, limit, waitMs) => {
      const response = (await connection.xread(
        'COUNT',
        limit,
        'BLOCK',
        waitMs,
        'STREAMS',
        key,
        `${seq}-0`,
      )) as [[string, Entry[]]] | null; // one key was asked for
      return (response?.[0][1] ?? []).map(eventOf);
    },
  };
}

function fieldsOf({ id, type, subject, occurredAt, payload }: SequencedEvent): string[] {
  const text = JSON.stringify(payload);
  const fields = ['id', id, 'type', type, 'subject', subject, 'at', occurredAt.toISOString()];
  return text.length > MAX_PAYLOAD_LENGTH ? fields : [...fields, 'payload', text];
}

function eventOf(entry: Entry): StreamedEvent {
  const [, list] = entry;
  const fields = new Map(
    list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ''] as const] : [])),
  );
  const payload = fields.get('payload');
  return {
    seq: seqOf(entry),
    id: fields.get('id') ?? '',
    type: fields.get('type') ?? '',
    subject: fields.get('subject') ?? '',
    occurredAt: new Date(fields.get('at') ?? ''),
    payload: payload === undefined ? undefined : (JSON.parse(payload) as unknown),
    complete: payload !== undefined,
  };
}

function seqOf([id]: Entry): number {
  return Number(id.split('-')[0]);
}

/** Redis takes ids in rising order alone: another relay has been here. */
function existsAlready(error: Error): boolean {
  return error.message.includes('equal or smaller');
}
