import type { Logger } from '@trellis/runtime';
import { growingPauseMs } from '@trellis/runtime/growing-pause';
import { randomUUID } from 'node:crypto';
import type { AuthServerMetrics } from '../audit/auth-server-metrics.ts';
import type { ClaimedMessage, MailStore } from './mail-store.ts';
import { MailRejected, type Mail, type MailTransport } from './mail.ts';

/** Accepts messages, and hands them over by and by. */
export interface MailQueue extends Mail {
  /** Begins to hand over what waits, and goes on with what comes. */
  start(): void;
  /** Ends, and resolves when the messages under way are handed over or have failed to be. */
  stop(): Promise<void>;
}

/** What a queue works with. */
export interface MailQueueDependencies {
  readonly store: MailStore;
  readonly transport: MailTransport;
  readonly metrics: Pick<AuthServerMetrics, 'mailMessages'>;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Seconds after which a message is of no use. */
  readonly ttlS: number;
  /** Milliseconds between two looks for messages that are due. @default 5000 */
  readonly pollMs?: number;
}

const POLL_MS = 5_000;
/** Messages under way at a time. */
const BATCH = 10;
/** A worker that dies leaves its messages to others after this. */
const LEASE_MS = 120_000;
/** Between attempts to hand a message over: 10 s, 20 s, 40 s, … up to an hour. */
const RETRY = { firstMs: 10_000, longestMs: 3_600_000 };

/**
 * A queue in the database: a message that was accepted is handed over although the mail server is unavailable for hours and this
 * process ends in between. It may be handed over twice, under the same id, when a process dies in the very moment.
 */
export function createMailQueue(dependencies: MailQueueDependencies): MailQueue {
  const { store, transport, metrics, logger, clock, ttlS, pollMs = POLL_MS } = dependencies;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  let isStarted = false;

  const settle = async ({ id, message, attempts }: ClaimedMessage): Promise<void> => {
    try {
      await transport.deliver(id, message);
      metrics.mailMessages.inc({ outcome: 'delivered' });
      await store.remove(id);
    } catch (error) {
      const isRejected = error instanceof MailRejected;
      metrics.mailMessages.inc({ outcome: isRejected ? 'rejected' : 'failed' });
      logger.warn({ err: error, message: id, attempts }, 'mail delivery failed');
      await (isRejected
        ? store.remove(id)
        : store.postpone(id, clock() + growingPauseMs(attempts - 1, RETRY)));
    }
  };
  const takeTurn = async (): Promise<void> => {
    for (;;) {
      const claimed = isStarted ? await store.claim(clock(), BATCH, LEASE_MS) : [];
      if (claimed.length === 0) break;
      await Promise.all(claimed.map(settle));
    }
    const expired = await store.removeExpired(clock());
    if (expired > 0) {
      metrics.mailMessages.inc({ outcome: 'expired' }, expired);
      logger.error({ messages: expired }, 'mail messages expired undelivered');
    }
  };
  const nudge = (): void => {
    turn = turn.then(takeTurn).catch((error: unknown) => {
      logger.warn({ err: error }, 'mail queue unavailable');
    });
  };
  return {
    send: async (message, reader = 'anybody') => {
      const now = clock();
      if (!(await store.add(randomUUID(), message, reader, now, now + ttlS * 1000)))
        throw new Error('Too many messages wait to be handed over.');
      if (isStarted) nudge();
    },
    start: () => {
      isStarted = true;
      timer = setInterval(nudge, pollMs).unref();
      nudge();
    },
    stop: async () => {
      isStarted = false;
      clearInterval(timer);
      await turn;
      await transport.close();
    },
  };
}
