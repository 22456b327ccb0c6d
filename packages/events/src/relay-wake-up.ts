import type { Pool } from '@trellis/postgres';
import type { Logger } from '@trellis/runtime';
import { createOutageLog } from '@trellis/runtime/outage-log';
import { isTransientFailure } from './is-transient-failure.ts';
import { createWakeUp, sleep, type WakeUp } from './wake-up.ts';

/** Wakes the relay of a service after a commit, whichever process it runs in. */
export interface RelayWakeUp extends WakeUp {
  /** To be called after each commit that appended an event. Never waits, never throws. */
  poke(): void;
  /** Wakes a relay of this process alone. */
  wake(): void;
  /** Says whether the relay runs in this process: then no other one is notified. */
  lead(isLeader: boolean): void;
  /** Sends nothing from now on. Resolves when nothing is being sent. */
  close(): Promise<void>;
}

/** What {@link createRelayWakeUp} needs. */
export interface RelayWakeUpOptions {
  readonly service: string;
  /** Takes a connection for a moment, at most every 10 ms. */
  readonly pool: Pool;
  readonly logger: Logger;
}

/** Milliseconds between two notifications: those of many commits are one. */
const NOTIFY_PAUSE_MS = 10;

export const NOTIFY = "SELECT pg_notify($1, '')";

/** The channel of PostgreSQL on which a service's relay listens. */
export function relayChannel(service: string): string {
  return `trellis_outbox_${service}`;
}

/**
 * Makes the wake-up of a service's relay. It notifies after the commit and outside of the transaction: inside, commits would
 * queue for the one lock on all notifications of the server. One that gets lost costs a second, until the relay looks by itself.
 */
export function createRelayWakeUp({ service, pool, logger }: RelayWakeUpOptions): RelayWakeUp {
  const here = createWakeUp();
  const outages = createOutageLog({
    logger,
    failure: 'could not notify the relay; it looks by itself',
    isTransient: isTransientFailure,
  });
  const notifier = createNotifier(() =>
    pool.query(NOTIFY, [relayChannel(service)]).then(outages.succeeded, outages.failed),
  );
  let isLeaderHere = false;
  return {
    wake: here.poke,
    sleep: here.sleep,
    lead: (isLeader) => {
      isLeaderHere = isLeader;
    },
    poke: () => {
      here.poke();
      if (!isLeaderHere) notifier.notify();
    },
    close: notifier.close,
  };
}

/** Sends once for all that is asked for while it sends or pauses. */
function createNotifier(send: () => Promise<void>): { notify(): void; close(): Promise<void> } {
  const closing = new AbortController();
  let isWanted = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (isWanted && !closing.signal.aborted) {
      isWanted = false;
      await send();
      await sleep(NOTIFY_PAUSE_MS, closing.signal);
    }
    running = undefined;
  };
  return {
    notify: () => {
      isWanted = true;
      running ??= run();
    },
    close: async () => {
      closing.abort();
      await running;
    },
  };
}
