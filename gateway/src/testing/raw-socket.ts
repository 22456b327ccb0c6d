import { once } from 'node:events';
import WebSocket, { type ClientOptions } from 'ws';

/** A message of graphql-transport-ws, as parsed. */
export interface Frame {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

/** How a connection ended. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

const PATIENCE_MS = 90_000;

/** Speaks graphql-transport-ws frame by frame. */
export class RawSocket {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly closed: Promise<Closing>;
  #wake: () => void = () => undefined;

  constructor(
    url: string,
    options: ClientOptions = {},
    protocol: string | string[] = 'graphql-transport-ws',
  ) {
    this.socket = new WebSocket(url.replace(/^http/, 'ws'), protocol, options);
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    this.socket.on('error', () => undefined); // `close` follows
    this.socket.on('message', (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString('utf8')) as Frame);
      this.#wake();
    });
  }

  /** Opens a connection and has it acknowledged. */
  static async connect(
    url: string,
    payload?: Readonly<Record<string, unknown>>,
    options?: ClientOptions,
  ): Promise<RawSocket> {
    const raw = new RawSocket(url, options);
    await raw.opened();
    raw.send({ type: 'connection_init', payload });
    await raw.next();
    return raw;
  }

  async opened(): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) await once(this.socket, 'open');
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  subscribe(id: string, query: string, rest: Readonly<Record<string, unknown>> = {}): void {
    this.send({ id, type: 'subscribe', payload: { query, ...rest } });
  }

  /** Takes the next frame. */
  async next(): Promise<Frame> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const frame = this.frames.shift();
      if (frame) return frame;
      if (Date.now() > deadline) throw new Error('No frame came within 90 s.');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, PATIENCE_MS);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  close(): void {
    this.socket.close();
  }
}
