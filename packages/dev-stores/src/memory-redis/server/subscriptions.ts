import type { Bytes } from '../bytes.ts';
import { matchesGlob } from '../values/glob.ts';
import type { Client } from './client.ts';

/** Who listens to which channel. */
export class Subscriptions {
  readonly #channels = new Map<Bytes, Set<Client>>();
  readonly #patterns = new Map<Bytes, Set<Client>>();

  get patternCount(): number {
    return this.#patterns.size;
  }

  subscribe(client: Client, channel: Bytes): void {
    client.channels.add(channel);
    join(this.#channels, channel, client);
  }

  unsubscribe(client: Client, channel: Bytes): void {
    client.channels.delete(channel);
    leave(this.#channels, channel, client);
  }

  subscribePattern(client: Client, pattern: Bytes): void {
    client.patterns.add(pattern);
    join(this.#patterns, pattern, client);
  }

  unsubscribePattern(client: Client, pattern: Bytes): void {
    client.patterns.delete(pattern);
    leave(this.#patterns, pattern, client);
  }

  /** Ends all that a client listens to. */
  release(client: Client): void {
    for (const channel of client.channels) this.unsubscribe(client, channel);
    for (const pattern of client.patterns) this.unsubscribePattern(client, pattern);
  }

  /** @returns how many clients it was sent to, one with two matching patterns twice */
  publish(channel: Bytes, message: Bytes): number {
    const direct = [...(this.#channels.get(channel) ?? [])];
    const matching = [...this.#patterns].filter(([pattern]) => matchesGlob(pattern, channel));
    for (const client of direct) client.send({ kind: 'push', items: ['message', channel, message] });
    for (const [pattern, clients] of matching)
      for (const client of clients)
        client.send({ kind: 'push', items: ['pmessage', pattern, channel, message] });
    return matching.reduce((count, [, clients]) => count + clients.size, direct.length);
  }

  /** Channels that somebody listens to by name. */
  channels(pattern: Bytes): Bytes[] {
    return [...this.#channels.keys()].filter((channel) => matchesGlob(pattern, channel));
  }

  subscriberCount(channel: Bytes): number {
    return this.#channels.get(channel)?.size ?? 0;
  }
}

function join(groups: Map<Bytes, Set<Client>>, name: Bytes, client: Client): void {
  const group = groups.get(name) ?? new Set();
  groups.set(name, group.add(client));
}

function leave(groups: Map<Bytes, Set<Client>>, name: Bytes, client: Client): void {
  const group = groups.get(name);
  group?.delete(client);
  if (group?.size === 0) groups.delete(name);
}
