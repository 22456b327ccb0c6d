import type { Logger } from 'pino';

/** Reports an outage when it begins and when it ends, however often it is met in between. */
export interface OutageLog {
  /** To be called for every failure. The first of a row is reported; one of another kind is reported as well. */
  failed(error: unknown): void;
  /** To be called for every success. The first after a failure ends the outage. */
  succeeded(): void;
}

/** What an outage is reported to. */
export interface OutageObserver {
  readonly begins: (error: unknown) => void;
  readonly ends?: () => void;
  /** A failure of another kind than the last is reported too. @default all are of one kind */
  readonly kindOf?: (error: unknown) => string;
}

/** Reports to functions, for what has no logger of its own. */
export function observeOutages({ begins, ends, kindOf }: OutageObserver): OutageLog {
  let reported: string | undefined;
  return {
    failed: (error) => {
      const kind = kindOf?.(error) ?? 'any';
      if (kind === reported) return;
      reported = kind;
      begins(error);
    },
    succeeded: () => {
      if (reported !== undefined) ends?.();
      reported = undefined;
    },
  };
}

/** What {@link createOutageLog} writes. */
export interface OutageLogOptions {
  readonly logger: Logger;
  /** What can't be done, for example `could not publish events; they wait in the outbox`. */
  readonly failure: string;
  /** For example `publishes events again`. @default the end is not logged */
  readonly success?: string;
  /** Further members of each record. */
  readonly bindings?: Readonly<Record<string, string>>;
  /** What ends by itself, as an unavailable server does. @default no failure */
  readonly isTransient?: (error: unknown) => boolean;
  /**
   * Milliseconds after the log was made in which what never succeeded yet may still be starting: its transient failures are no
   * warnings. @default 0
   */
  readonly startingMs?: number;
}

/**
 * Makes the log of something that is retried. A transient failure is logged in one line, because the place where it was noticed
 * explains nothing; any other is logged with its stack. A server that starts at the same time is worth a line of information, and
 * a warning when it is still missing after `startingMs`.
 */
export function createOutageLog(options: OutageLogOptions): OutageLog {
  const { logger, failure, success, bindings = {}, isTransient = () => false, startingMs = 0 } = options;
  let startingUntilMs = performance.now() + startingMs;
  const isStarting = (): boolean => performance.now() < startingUntilMs;
  const kindOf = (error: unknown): string => {
    if (!isTransient(error)) return 'other';
    return isStarting() ? 'starting' : 'transient';
  };
  const observed = observeOutages({
    begins: (error) => {
      const kind = kindOf(error);
      const cause = kind === 'other' ? { err: error } : { reason: reasonOf(error) };
      logger[kind === 'starting' ? 'info' : 'warn']({ ...bindings, ...cause }, failure);
    },
    ends: () => {
      if (success !== undefined) logger.info(bindings, success);
    },
    kindOf,
  });
  return {
    failed: observed.failed,
    succeeded: () => {
      startingUntilMs = 0;
      observed.succeeded();
    },
  };
}

/** An error of a connection that tried several addresses has a code and no message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
