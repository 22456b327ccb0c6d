import type { Bytes } from '../bytes.ts';
import type { Client } from './client.ts';

/** Who listens to which channel. */
export class Subscriptions {
  readonly #channels = new Map<Bytes, Set<Client>>();

  subscribe(client: Client, channel: Bytes): void {
    client.channels.add(channel);
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(client));
  }

  /** Ends all that a client listens to. */
  release(client: Client): void {
    for (const channel of client.channels) {
      const listeners = this.#channels.get(channel);
      listeners?.delete(client);
      if (listeners?.size === 0) this.#channels.delete(channel);
    }
    client.channels.clear();
  }

  /** @returns how many clients it was sent to */
  publish(channel: Bytes, message: Bytes): number {
    const listeners = this.#channels.get(channel) ?? new Set();
    for (const client of listeners) client.send({ kind: 'push', items: ['message', channel, message] });
    return listeners.size;
  }
}
