import { shareKeysOf, type QueueCaller } from '@trellis/admission';
import { shareKeysOfCaller, type Caller } from './caller.ts';

/** Addresses whose networks are remembered; when there are more, all are read again. */
const MAX_REMEMBERED = 10_000;

/** Says in whose share a caller's work is counted: the user's, else the client's, else the network's. */
export class CallerShares {
  readonly #ofNetworks = new Map<string, QueueCaller>();

  /** @param caller absent where it is not known yet */
  of(caller: Caller | undefined, address: string): QueueCaller {
    if (!caller?.authenticated) return this.#ofNetwork(address);
    return { keys: shareKeysOfCaller(caller, address), isKnown: true };
  }

  #ofNetwork(address: string): QueueCaller {
    const known = this.#ofNetworks.get(address);
    if (known) return known;
    const made: QueueCaller = { keys: shareKeysOf({ address }), isKnown: false };
    if (this.#ofNetworks.size >= MAX_REMEMBERED) this.#ofNetworks.clear();
    this.#ofNetworks.set(address, made);
    return made;
  }
}
