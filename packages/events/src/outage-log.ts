import type { Logger } from '@trellis/runtime';
import { isTransientFailure } from './is-transient-failure.ts';

/** Tells of an outage when it begins and when it is over, however often it is met in between. */
export interface OutageLog {
  /** To be called for every failure. The first of a row is told; one of another kind is told as well. */
  failed(error: unknown): void;
  /** To be called for every success. The first after a failure is told. */
  succeeded(): void;
}

/** What an {@link OutageLog} says. */
export interface OutageLogOptions {
  readonly logger: Logger;
  /** What can't be done, for example `could not publish events; they wait in the outbox`. */
  readonly failure: string;
  /** For example `publishes events again`. @default nothing is told */
  readonly success?: string;
  /** Further members of each record. */
  readonly bindings?: Readonly<Record<string, string>>;
}

/**
 * Makes the log of something that is tried again and again. What goes away by itself (a server that is not there) is told in
 * one line, because where it was noticed says nothing; anything else is told with its stack.
 */
export function createOutageLog({ logger, failure, success, bindings = {} }: OutageLogOptions): OutageLog {
  let told: 'nothing' | 'transient' | 'other' = 'nothing';
  return {
    failed: (error) => {
      const kind = isTransientFailure(error) ? 'transient' : 'other';
      if (kind === told) return;
      told = kind;
      const cause = kind === 'transient' ? { reason: reasonOf(error) } : { err: error };
      logger.warn({ ...bindings, ...cause }, failure);
    },
    succeeded: () => {
      if (told !== 'nothing' && success !== undefined) logger.info(bindings, success);
      told = 'nothing';
    },
  };
}

/** An error of a connection that tried several addresses has a code and no message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
