import type { RegistryRecord } from '@trellis/registry';
import type { ServedGenerations } from './served-generations.ts';

/** What is reported to the host, for logs and metrics. */
export interface RegistryObserver {
  /** A record was verified, in the order of the log. Whether it can be served is not known yet. */
  verified(record: RegistryRecord): void;
  /** A record is served. */
  serving(served: ServedGenerations): void;
  /** A variant has stopped: the rest of the record is served. */
  stopped(served: ServedGenerations): void;
  /** The registry was read to its head, and all that it says serves here. */
  checked(): void;
  /** What the registry says does not serve; what served before goes on. Called once for each reason. */
  rejected(error: unknown): void;
  /** The copy on the disk could not be read, or not be written. Called once for each reason. */
  copyFailed(error: unknown): void;
  /** What was judged of a record can't be read. Called once for as long as that lasts. */
  verdictFailed(sequence: number, error: unknown): void;
}

/** Events that wait until what they are about is in force. */
export interface HeldEvents {
  readonly observer: RegistryObserver;
  /** Reports what waits, in its order; what comes after it is reported at once. */
  release(): void;
}

/** Holds what a follower reports that is only being opened: a reload may still give it up. */
export function holdEvents(observer: RegistryObserver): HeldEvents {
  let held: (() => void)[] | undefined = [];
  const report = (event: () => void): void => {
    if (held) held.push(event);
    else event();
  };
  return {
    observer: {
      verified: (record) => report(() => observer.verified(record)),
      serving: (served) => report(() => observer.serving(served)),
      stopped: (served) => report(() => observer.stopped(served)),
      checked: () => report(() => observer.checked()),
      rejected: (error) => report(() => observer.rejected(error)),
      copyFailed: (error) => report(() => observer.copyFailed(error)),
      verdictFailed: (sequence, error) => report(() => observer.verdictFailed(sequence, error)),
    },
    release() {
      const events = held ?? [];
      held = undefined;
      for (const event of events) event();
    },
  };
}
