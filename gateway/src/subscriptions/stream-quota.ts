import { userOf, type Caller } from '../auth/caller.ts';
import { refused } from '../errors.ts';
import type { StreamKind } from './stream-observer.ts';
import type { StreamSettings } from './stream-settings.ts';

/** Counts the streams of each user, or of each address where nobody is known. */
export class StreamQuota {
  readonly #counts = new Map<string, number>();

  /**
   * Takes one stream from a client's share.
   *
   * @returns gives it back; more than once does no harm
   * @throws RequestRefused TOO_MANY_STREAMS
   */
  take(kind: StreamKind, caller: Caller, address: string, settings: StreamSettings): () => void {
    const owner = ownerOf(caller, address);
    const releaseAny = this.#take(`any ${owner}`, settings.maxPerUser);
    if (kind === 'subscription') return releaseAny;
    try {
      const releaseLive = this.#take(`live ${owner}`, settings.live.maxPerUser);
      return () => {
        releaseLive();
        releaseAny();
      };
    } catch (error) {
      releaseAny();
      throw error;
    }
  }

  #take(key: string, maximum: number): () => void {
    const count = this.#counts.get(key) ?? 0;
    if (count >= maximum)
      throw refused('TOO_MANY_STREAMS', `No more than ${maximum} of these streams may be open at once.`);
    this.#counts.set(key, count + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    };
  }
}

function ownerOf(caller: Caller, address: string): string {
  const user = userOf(caller);
  return user === undefined ? `address ${address}` : `user ${user}`;
}
