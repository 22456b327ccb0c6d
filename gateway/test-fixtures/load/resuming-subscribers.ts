import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_ID_EXTENSION, LAST_EVENT_ID_EXTENSION, readEventId } from '@trellis/subgraph-protocol';
import { WebSocket } from 'ws';
import type { NumberedEvents } from './numbered-events.ts';

/** Where clients listen, and to what. */
export interface ResumingSubscribersOptions {
  /** The gateway that will disconnect them, without a path. */
  readonly from: string;
  /** The one that they go on at. */
  readonly to: string;
  readonly events: NumberedEvents;
  readonly count: number;
}

/** What clients have heard, from the first event of each on. */
export interface ResumingReport {
  /** The codes of the close frames that disconnected them; 1006 where there was none. */
  readonly codes: readonly number[];
  /** Events that were sent from the first that any of them heard on. */
  readonly events: number;
  /** Events that a client did not hear, summed over the clients. */
  readonly lost: number;
  /** Times that a client heard an event again, summed over the clients. */
  readonly twice: number;
  /** Why one of them ended otherwise than by a close frame. */
  readonly rejection: string | undefined;
}

/** Clients that go on elsewhere, where they were, when they are disconnected. */
export interface ResumingSubscribers {
  /** Waits until all are disconnected and have heard what is the newest event then, and compares. */
  report(): Promise<ResumingReport>;
  close(): void;
}

const PATIENCE_MS = 60_000;
/** Every so many-th client has its events completed at a second subgraph. */
const COMPLETED_EVERY = 10;
/** How many events the clients miss before they come back: they don't all come at once. */
const MISSED = [1, 2, 3, 4, 5] as const;

/** Opens the subscriptions, each on a connection of its own. @returns when each has heard something */
export async function openResumingSubscribers(
  options: ResumingSubscribersOptions,
): Promise<ResumingSubscribers> {
  const subscribers = Array.from({ length: options.count }, (_, index) => new Subscriber(options, index));
  const close = (): void => {
    for (const subscriber of subscribers) subscriber.close();
  };
  const all = (condition: (subscriber: Subscriber) => boolean): Promise<boolean> =>
    cameTrue(() => subscribers.every(condition));
  if (!(await all(({ heard }) => heard.length > 0))) {
    close();
    throw new Error(`Not all subscribers have heard something. ${rejectionOf(subscribers)}`);
  }
  return {
    async report() {
      const codes = await Promise.all(subscribers.map(({ disconnected }) => disconnected));
      await all(({ hasResumed, rejection }) => hasResumed || rejection !== undefined);
      const { last } = options.events;
      await all(({ heard, rejection }) => (heard.at(-1) ?? 0) >= last || rejection !== undefined);
      const gaps = subscribers.map(({ heard }) => compare(heard, last));
      return {
        codes,
        events: last - Math.min(...subscribers.map(({ heard }) => heard[0] ?? last)) + 1,
        lost: gaps.reduce((sum, { lost }) => sum + lost, 0),
        twice: gaps.reduce((sum, { twice }) => sum + twice, 0),
        rejection: rejectionOf(subscribers),
      };
    },
    close,
  };
}

/** What is between the first number that was heard and `last`, both included. */
function compare(heard: readonly number[], last: number): { readonly lost: number; readonly twice: number } {
  const counted = heard.filter((number) => number <= last);
  const numbers = new Set(counted);
  const expected = last - Math.min(...numbers) + 1;
  return { lost: expected - numbers.size, twice: counted.length - numbers.size };
}

function rejectionOf(subscribers: readonly Subscriber[]): string | undefined {
  return subscribers.find(({ rejection }) => rejection !== undefined)?.rejection;
}

async function cameTrue(condition: () => boolean): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

interface Frame {
  readonly type: string;
  readonly payload?: unknown;
}

interface EventResult {
  readonly data?: { readonly published: { readonly id: string; readonly author?: object | null } } | null;
  readonly extensions?: { readonly [EVENT_ID_EXTENSION]?: string };
}

/** One client: it remembers the id of the last event that it has heard, and nothing else. */
class Subscriber {
  readonly heard: number[] = [];
  /** The code of the first connection's close frame. */
  readonly disconnected: Promise<number>;
  hasResumed = false;
  rejection: string | undefined;
  readonly #query: string;
  #socket: WebSocket;
  #isDisconnected = false;
  #isClosed = false;
  #lastEventId: string | undefined;

  constructor({ from, to, events }: ResumingSubscribersOptions, index: number) {
    this.#query = `subscription { published { id ${index % COMPLETED_EVERY === 0 ? 'author { name }' : ''} } }`;
    this.#socket = this.#connect(from);
    this.disconnected = new Promise((resolve) => {
      this.#socket.on('close', resolve);
    });
    void this.#goOn(to, () => events.further(MISSED[index % MISSED.length] ?? 1));
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.terminate();
  }

  async #goOn(to: string, pause: () => Promise<void>): Promise<void> {
    await this.disconnected;
    this.#isDisconnected = true;
    await pause();
    if (this.#isClosed) return;
    this.#socket = this.#connect(to);
    this.#socket.on('close', (code) => (this.rejection ??= `The second gateway has closed with ${code}.`));
  }

  #connect(url: string): WebSocket {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    socket.on('error', () => undefined); // a close follows
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('message', (data: Buffer) => this.#take(socket, JSON.parse(data.toString('utf8')) as Frame));
    return socket;
  }

  #take(socket: WebSocket, { type, payload }: Frame): void {
    if (type === 'connection_ack') this.#subscribe(socket);
    else if (type === 'ping') socket.send('{"type":"pong"}');
    else if (type === 'next') this.#hear(payload as EventResult);
    else if (type !== 'pong' && !JSON.stringify(payload ?? '').includes('SHUTTING_DOWN'))
      this.rejection ??= `${type} ${JSON.stringify(payload)}`;
  }

  #subscribe(socket: WebSocket): void {
    const id = this.#lastEventId;
    const extensions = id === undefined ? {} : { [LAST_EVENT_ID_EXTENSION]: id };
    const payload = { query: this.#query, extensions };
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }));
  }

  /** An event whose result is not whole is not heard. */
  #hear(result: EventResult): void {
    this.#lastEventId = readEventId(result.extensions) ?? this.#lastEventId;
    const published = result.data?.published;
    if (!published || published.author === null) this.rejection ??= `next ${JSON.stringify(result)}`;
    else this.heard.push(Number(published.id));
    this.hasResumed = this.#isDisconnected;
  }
}
