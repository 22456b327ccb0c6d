/** Whether the application reaches the graph: what the browser says, and what the live connection shows. */
export type NetworkState = 'online' | 'offline' | 'reconnecting';

/** Watches the network for the whole application. */
export class Network {
  readonly #listeners = new Set<() => void>();
  #isSocketLost = false;

  constructor() {
    window.addEventListener('online', this.#notify);
    window.addEventListener('offline', this.#notify);
  }

  get state(): NetworkState {
    if (!navigator.onLine) return 'offline';
    return this.#isSocketLost ? 'reconnecting' : 'online';
  }

  /** @returns what ends the subscription */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The live connection was opened, or has broken. */
  setSocketLost(isLost: boolean): void {
    this.#isSocketLost = isLost;
    this.#notify();
  }

  /** Resolves when the browser has a network; at once when it has one. */
  untilOnline(): Promise<void> {
    if (navigator.onLine) return Promise.resolve();
    return new Promise((resolve) => window.addEventListener('online', () => resolve(), { once: true }));
  }

  readonly #notify = (): void => {
    for (const listener of this.#listeners) listener();
  };
}
