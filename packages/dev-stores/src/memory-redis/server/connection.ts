import type { Socket } from 'node:net';
import type { Bytes } from '../bytes.ts';
import { ProtocolError } from '../errors.ts';
import { encodeReply, type ProtocolVersion } from '../protocol/encode-reply.ts';
import { errorReply, type Reply } from '../protocol/reply.ts';
import { RequestParser, UNAUTHENTICATED_LIMITS } from '../protocol/request-parser.ts';
import { Client } from '../clients/client.ts';
import { executeCommand, isWait, type ReportFailure } from './execute-command.ts';
import type { Instance } from '../instance.ts';

const MAX_GATHERED_BYTES = 1_048_576;
const LAST_REPLY_MS = 1_000;

/** Serves one client until it or the server goes. */
export function serveConnection(
  instance: Instance,
  socket: Socket,
  id: number,
  reportFailure: ReportFailure,
): void {
  const connection = new Connection(instance, socket, id, reportFailure);
  instance.clients.set(id, connection.client);
  socket.setNoDelay(true);
  socket.on('data', (chunk) => connection.receive(chunk));
  socket.on('drain', () => connection.proceed());
  socket.on('end', () => connection.release());
  socket.on('close', () => connection.release());
  socket.on('error', () => socket.destroy()); // the client's end broke: no one is left to notify
}

/**
 * Takes requests off a socket and puts replies on it. Replies are gathered while there are whole requests, so that a
 * pipeline is answered in one write. A client that does not read its replies is not read from.
 */
class Connection {
  readonly client: Client;
  readonly #instance: Instance;
  readonly #socket: Socket;
  readonly #parser: RequestParser;
  readonly #reportFailure: ReportFailure;
  #unsent: Bytes[] = [];
  #unsentBytes = 0;
  #flushPlanned = false;
  #ending = false;
  #giveUpWaiting: (() => void) | undefined;

  constructor(instance: Instance, socket: Socket, id: number, reportFailure: ReportFailure) {
    this.#instance = instance;
    this.#socket = socket;
    this.#reportFailure = reportFailure;
    const output = {
      send: (reply: Reply, version: ProtocolVersion) => this.#send(reply, version),
      end: () => this.#end(),
    };
    const address = {
      remote: `${socket.remoteAddress}:${socket.remotePort}`,
      local: `${socket.localAddress}:${socket.localPort}`,
    };
    const open = instance.password === undefined;
    this.client = new Client(id, address, output, open, instance.clock());
    this.#parser = new RequestParser(() =>
      this.client.authenticated ? instance.limits : UNAUTHENTICATED_LIMITS,
    );
  }

  receive(chunk: Buffer): void {
    if (this.#ending) return;
    this.#parser.push(chunk);
    this.proceed();
    const waiting = this.#giveUpWaiting !== undefined;
    if (waiting && this.#parser.bufferedBytes > this.#instance.limits.maxRequestBytes) this.#socket.destroy();
  }

  /** Answers all requests that have arrived; stops for a command that waits, and for a client that does not read. */
  proceed(): void {
    try {
      while (this.#ready()) {
        const request = this.#parser.next();
        if (request === undefined) {
          this.#socket.resume();
          return;
        }
        this.#execute(request);
      }
    } catch (error) {
      this.#reject(error);
    }
  }

  /** Frees what the client held. */
  release(): void {
    this.#ending = true;
    this.#giveUpWaiting?.();
    this.#giveUpWaiting = undefined;
    this.#instance.subscriptions.release(this.client);
    this.#instance.clients.delete(this.client.id);
  }

  #ready(): boolean {
    if (this.#ending || this.#giveUpWaiting !== undefined) return false;
    const tooMuch = this.#socket.writableLength > this.#instance.limits.maxQueuedReplyBytes;
    if (tooMuch) this.#socket.pause();
    return !tooMuch;
  }

  #execute(request: readonly Bytes[]): void {
    const outcome = executeCommand(this.#instance, this.client, request, this.#reportFailure);
    if (isWait(outcome))
      this.#giveUpWaiting = this.#instance.blocked.park(outcome, (reply) => this.#wake(reply));
    else this.client.send(outcome);
  }

  /** What came in behind the command that waited is taken up later: another command is being run right now. */
  #wake(reply: Reply): void {
    this.#giveUpWaiting = undefined;
    this.client.send(reply);
    setImmediate(() => this.proceed());
  }

  #send(reply: Reply, version: ProtocolVersion): void {
    if (this.#socket.destroyed) return;
    const text = encodeReply(reply, version);
    this.#unsent.push(text);
    this.#unsentBytes += text.length;
    if (this.#unsentBytes >= MAX_GATHERED_BYTES) return this.#flush(); // from here on the socket counts them
    if (this.#flushPlanned) return;
    this.#flushPlanned = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#flushPlanned = false;
    const text = this.#unsent.join('');
    this.#unsent = [];
    this.#unsentBytes = 0;
    if (this.#socket.destroyed) return;
    if (text !== '') this.#socket.write(text, 'latin1');
    if (this.#ending) this.#hangUp();
    const isSubscriber = this.client.channels.size > 0;
    if (isSubscriber && this.#socket.writableLength > this.#instance.limits.maxQueuedMessageBytes)
      this.#socket.destroy();
  }

  /** A client that goes on talking is cut off, once it has had the time to read the last reply. */
  #hangUp(): void {
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), LAST_REPLY_MS).unref();
  }

  #end(): void {
    this.#ending = true;
    if (!this.#flushPlanned && this.#unsent.length === 0) process.nextTick(() => this.#flush());
  }

  /** After a breach of the protocol nothing that follows can be parsed. */
  #reject(error: unknown): void {
    if (error instanceof ProtocolError) this.client.send(errorReply(error.message));
    else this.#reportFailure(error);
    this.#end();
  }
}
