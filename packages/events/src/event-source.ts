import { ServiceCallFailed, type ServiceClient } from '@trellis/subgraph-protocol';
import { z } from 'zod';
import type { SequencedEvent } from './domain-event.ts';

/** A page of another service's events. */
export interface EventPage {
  readonly events: readonly SequencedEvent[];
  /** The greatest number that the service has given. */
  readonly head: number;
}

/** A page of what another service holds now. */
export interface SnapshotPage {
  /** Each as the event that would publish it. */
  readonly items: readonly SnapshotItem[];
  /** Where the next page begins; null after the last. */
  readonly next: string | null;
}

/** One thing that another service holds. */
export interface SnapshotItem {
  readonly type: string;
  readonly subject: string;
  readonly payload: unknown;
}

/** Another service's own record of what happened: slower than its stream, and complete. */
export interface EventSource {
  /**
   * Reads on from a number.
   *
   * @returns undefined when what follows that number has been purged
   */
  readAfter(seq: number, limit: number, signal: AbortSignal): Promise<EventPage | undefined>;
  /** Reads what the service holds now. */
  readSnapshot(after: string | null, signal: AbortSignal): Promise<SnapshotPage>;
}

const eventPage = z.object({
  head: z.number(),
  events: z.array(
    z.object({
      seq: z.number(),
      id: z.string(),
      type: z.string(),
      subject: z.string(),
      payload: z.unknown(),
      occurredAt: z.iso.datetime().transform((text) => new Date(text)),
    }),
  ),
});

const snapshotPage = z.object({
  next: z.string().nullable(),
  items: z.array(z.object({ type: z.string(), subject: z.string(), payload: z.unknown() })),
});

/** HTTP status for events that have been purged. */
export const GONE = 410;

/** Reads another service over HTTP, at the routes of `addEventRoutes`. */
export function createHttpEventSource(client: ServiceClient): EventSource {
  return {
    readAfter: async (seq, limit, signal) => {
      try {
        return eventPage.parse(await client.get(`/internal/events?after=${seq}&limit=${limit}`, signal));
      } catch (error) {
        if (error instanceof ServiceCallFailed && error.status === GONE) return undefined;
        throw error;
      }
    },
    readSnapshot: async (after, signal) => {
      const query = after === null ? '' : `?after=${encodeURIComponent(after)}`;
      return snapshotPage.parse(await client.get(`/internal/snapshot${query}`, signal));
    },
  };
}
