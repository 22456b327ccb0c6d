import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CLOSING_BEGAN, createHttpServer, createLogger, MAX_HEADERS } from '@trellis/runtime';
import type { FastifyInstance } from 'fastify';
import { PlainFirstServer } from '../server/plain-first-server.ts';
import type { PlainExchange, PlainResponder } from '../server/plain-responder.ts';
import type { WholeResponse } from '../server/plain-messages.ts';

const TURNS_OF_SILENCE = 8;

/** What a server has read on a connection. */
export interface RequestsRead {
  /** Sorted. */
  readonly requests: readonly string[];
  /** Whether it has ended the connection, as it does with a rejection. */
  readonly isEnded: boolean;
}

/** A server on a Unix socket that holds back its responses, so that which requests it reads does not depend on time. */
export class EchoServer {
  readonly #server: FastifyInstance;
  readonly #path: string;
  #read: string[] = [];
  #plain = 0;
  /** Ends the waiting of those that are held back; absent while nothing is. */
  #held: (() => void)[] | undefined;

  /** @param isPlainFirst whether connections begin with the own reader */
  constructor(path: string, isPlainFirst: boolean) {
    this.#path = path;
    this.#server = createHttpServer({
      logger: createLogger({ service: 'echo', level: 'silent' }),
      ...(isPlainFirst && { fastify: { serverFactory: (listener) => this.#plainFirst(listener) } }),
    });
    this.#server.addHook('onRequest', ({ raw }, reply, done) => {
      reply.hijack();
      this.#record(raw);
      void this.#mayRespond().then(() => reply.raw.end('read'));
      done();
    });
  }

  /** Requests that the own reader has read. */
  get plain(): number {
    return this.#plain;
  }

  async start(): Promise<void> {
    await this.#server.listen({ path: this.#path });
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /**
   * Sends bytes on one connection, in steps: before the next one all requests are answered that have been read.
   *
   * @param steps each in pieces
   * @returns the whole requests that the server has read
   */
  async requestsIn(steps: readonly (readonly Buffer[])[]): Promise<RequestsRead> {
    this.#read = [];
    const accepted = once(this.#server.server, 'connection');
    const socket = connect(this.#path).on('error', () => undefined);
    const [ofServer] = (await accepted) as [Socket];
    socket.resume();
    for (const pieces of steps) {
      this.#held = [];
      await sendAll(socket, pieces, ofServer);
      this.#release();
      await this.#silence();
    }
    const isEnded = ofServer.destroyed || ofServer.writableEnded;
    socket.destroy();
    return { requests: this.#read.toSorted(), isEnded };
  }

  #mayRespond(): Promise<void> {
    return new Promise((resolve) => (this.#held ? this.#held.push(resolve) : resolve()));
  }

  #release(): void {
    for (const response of this.#held ?? []) response();
    this.#held = undefined;
  }

  async #silence(): Promise<void> {
    for (let before = -1; before !== this.#read.length;) {
      before = this.#read.length;
      for (let turn = 0; turn < TURNS_OF_SILENCE; turn += 1) await nextTurn();
    }
  }

  #record(request: IncomingMessage): void {
    const { method = '', url = '', headers } = request;
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => this.#read.push(textOf(method, url, headers, Buffer.concat(parts))));
  }

  #plainFirst(listener: RequestListener): Server {
    const server = new PlainFirstServer({}, listener, this.#responder());
    return server.on(CLOSING_BEGAN, () => server.beginClosing());
  }

  #responder(): PlainResponder<PlainExchange, WholeResponse> {
    return {
      rules: {
        paths: new Set(['/graphql']),
        maxBodyBytes: 10_000,
        maxHeaders: MAX_HEADERS,
        without: new Set(),
        takes: () => true,
      },
      times: { firstRequestMs: 30_000, keepAliveMs: 30_000, silentMs: 30_000 },
      admit: () => ({ leave: () => undefined }),
      begin: () => ({ settle: () => undefined, abandon: () => undefined }),
      unread: () => ({ update: () => undefined, end: () => undefined }),
      hold: () => ({ hold: () => undefined, release: () => undefined }),
      ended: () => undefined,
      failed: () => undefined,
      response: async (_exchange, { path, headers, body }) => {
        this.#plain += 1;
        this.#read.push(textOf('POST', path, headers, body));
        await this.#mayRespond();
        return { status: 200, headers: {}, body: 'read' };
      },
    };
  }
}

async function sendAll(socket: Socket, pieces: readonly Buffer[], ofServer: Socket): Promise<void> {
  let sent = ofServer.bytesRead;
  for (const piece of pieces) {
    sent += piece.length;
    socket.write(piece);
    await nextTurn();
  }
  while (!ofServer.destroyed && ofServer.bytesRead < sent) await nextTurn();
}

/** An upgrade that was ignored is gone when Node reads the request again. */
function textOf(method: string, url: string, headers: IncomingMessage['headers'], body: Buffer): string {
  const { upgrade: _ignored, ...others } = headers;
  return JSON.stringify([method, url, others, body.toString('latin1')]);
}
