import { once } from 'node:events';
import WebSocket from 'ws';
import { SUBSCRIPTION } from './topic-graph.ts';

const CONNECTED_AT_ONCE = 50;

/** Clients that subscribe to the topic, one connection each, and take note of the last event that they got. */
export class Audience {
  readonly #url: string;
  readonly #members: Member[] = [];
  readonly #waiting = new Set<Waiting>();
  #failure: Error | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  get size(): number {
    return this.#members.length;
  }

  /** Connects and subscribes more clients. Rejects when one is rejected. */
  async join(clients: number): Promise<void> {
    for (let joined = 0; joined < clients; joined += CONNECTED_AT_ONCE) {
      const count = Math.min(CONNECTED_AT_ONCE, clients - joined);
      this.#members.push(...(await Promise.all(Array.from({ length: count }, () => this.#connect()))));
    }
  }

  /** Resolves when every client got the event of a number, or a later one: true; or after some time: false. */
  async got(number: number, withinMs: number): Promise<boolean> {
    if (this.#failure) throw this.#failure;
    let missing = this.#members.filter(({ last }) => last < number).length;
    if (missing === 0) return true;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        onEvent: (heard) => {
          if (heard !== number) return;
          missing -= 1;
          if (missing > 0) return;
          settle();
          resolve(true);
        },
        onFailure: (error) => {
          settle();
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        settle();
        resolve(this.#members.every(({ last }) => last >= number));
      }, withinMs);
      this.#waiting.add(waiting);
    });
  }

  leave(): void {
    for (const { socket } of this.#members) {
      socket.removeAllListeners('message');
      socket.terminate();
    }
  }

  async #connect(): Promise<Member> {
    const socket = new WebSocket(this.#url, 'graphql-transport-ws', { perMessageDeflate: false });
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    const member: Member = { socket, last: -1 };
    socket.on('message', (data: Buffer) => this.#hear(member, data.toString('latin1')));
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: SUBSCRIPTION } }));
    return member;
  }

  #hear(member: Member, text: string): void {
    if (text.includes('"type":"ping"')) return member.socket.send('{"type":"pong"}');
    const [, number] = /"id":"post-(\d+)".*"name":"Author user-\d"/.exec(text) ?? [];
    if (number === undefined) return this.#fail(new Error(`A client got ${text}`));
    member.last = Number(number);
    for (const { onEvent } of this.#waiting) onEvent(member.last);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { onFailure } of this.#waiting) onFailure(error);
  }
}

interface Waiting {
  onEvent(number: number): void;
  onFailure(error: Error): void;
}

interface Member {
  readonly socket: WebSocket;
  last: number;
}
