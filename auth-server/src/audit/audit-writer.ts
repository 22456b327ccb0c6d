import type { Logger } from '@trellis/runtime';
import type { AuditStore, StoredAuditEvent } from './audit-store.ts';

/** Stores events behind the requests that cause them. */
export interface AuditWriter {
  /** Never waits, never throws. */
  write(event: StoredAuditEvent): void;
  /** Resolves when everything written so far is stored, or has failed to be. */
  flush(): Promise<void>;
  /** Flushes and ends. */
  close(): Promise<void>;
}

/** What a writer works with. */
export interface AuditWriterDependencies {
  readonly store: AuditStore;
  readonly logger: Logger;
  /** Called with the number of events that were given up for lack of room. */
  readonly onDropped: (count: number) => void;
  /** Milliseconds that events wait for others, to be stored together. @default 250 */
  readonly delayMs?: number;
}

/** Most events that wait while the database is unavailable; the oldest are dropped then, and are in the log all the same. */
const CAPACITY = 10_000;
/** Most events of one statement. */
const BATCH = 500;
const RETRY_MS = 2_000;

/**
 * Gathers events for a moment and stores them in one statement, so that an audit log costs a request no round trip. While
 * the database is unavailable they wait.
 */
export function createAuditWriter({
  store,
  logger,
  onDropped,
  delayMs = 250,
}: AuditWriterDependencies): AuditWriter {
  const waiting: StoredAuditEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<boolean> = Promise.resolve(true);
  let isClosed = false;

  const storeBatch = async (): Promise<boolean> => {
    const batch = waiting.splice(0, BATCH);
    if (batch.length === 0) return true;
    try {
      await store.append(batch);
      return true;
    } catch (error) {
      logger.error({ err: error, events: batch.length }, 'audit events not stored; retrying');
      waiting.unshift(...batch);
      drop();
      return false;
    }
  };
  const drop = (): void => {
    const excess = waiting.length - CAPACITY;
    if (excess <= 0) return;
    waiting.splice(0, excess);
    onDropped(excess);
  };
  const storeAll = async (): Promise<boolean> => {
    while (waiting.length > 0) if (!(await storeBatch())) return false;
    return true;
  };
  const schedule = (afterMs: number): void => {
    if (isClosed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, afterMs).unref();
  };
  const flush = async (): Promise<void> => {
    storing = storing.then(storeAll);
    if (!(await storing)) schedule(RETRY_MS);
  };
  return {
    write: (event) => {
      waiting.push(event);
      drop();
      schedule(delayMs);
    },
    flush,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await flush();
    },
  };
}
