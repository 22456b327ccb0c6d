import type { Socket } from 'node:net';
import type { ShareKeys } from '@trellis/admission';
import type { RawData, WebSocket } from 'ws';
import type { UnreadAnswers } from '../../load/unread-answers.ts';
import type { UnreadBytes } from '../../load/unread-reader.ts';
import type { MessageWriter } from './operation-sink.ts';

/** A socket that was upgraded. */
export interface UpgradedSocket {
  readonly socket: WebSocket;
  /** The connection below it. */
  readonly stream: Socket;
}

/** What waits for a client is bounded for it alone, and for all clients together. */
export interface BufferBounds {
  /** Bytes that may wait for this client. */
  readonly maxBufferBytes: number;
  readonly unread: UnreadAnswers;
  /** Whose share it counts in. */
  readonly keysOf: () => ShareKeys;
}

/** Called for a client's messages and for changes of its socket. */
export interface SocketListener {
  /** @param text nothing where the message is binary */
  onMessage(text: string | undefined): void;
  onPing(): void;
  /** More waits for the client than may. */
  onOverrun(): void;
  /** Nothing follows. */
  onClose(): void;
}

/** After which a client that does not answer the end of its connection is left. */
const FAREWELL_MS = 1_000;

/** The socket of one client: what waits for it is bounded, and so is the time that it may take to part. */
export class ClientSocket implements MessageWriter {
  readonly #socket: WebSocket;
  readonly #stream: Socket;
  readonly #maxBufferBytes: number;
  readonly #onOverrun: () => void;
  readonly #unread: UnreadBytes;
  #isAlive = true;

  constructor({ socket, stream }: UpgradedSocket, bounds: BufferBounds, listener: SocketListener) {
    this.#socket = socket;
    this.#stream = stream;
    this.#maxBufferBytes = bounds.maxBufferBytes;
    this.#unread = bounds.unread.watch(stream, bounds.keysOf, () => stream.writableLength);
    this.#onOverrun = () => listener.onOverrun();
    socket.on('message', (data, isBinary) => listener.onMessage(isBinary ? undefined : textOf(data)));
    socket.on('pong', () => (this.#isAlive = true));
    socket.on('ping', () => listener.onPing());
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => {
      this.#unread.end();
      listener.onClose();
    });
  }

  write(text: string): void {
    if (!this.#isOpen) return;
    this.#socket.send(text);
    this.#checkBuffer();
  }

  /** Past the WebSocket, which would make the frame again: what goes through it is written at once, so the order stays. */
  writeFrame(frame: Buffer): void {
    if (!this.#isOpen) return;
    this.#stream.write(frame);
    this.#checkBuffer();
  }

  /** A client that has not answered the ping before is gone. */
  beat(): void {
    if (!this.#isAlive) return this.#socket.terminate();
    this.#isAlive = false;
    this.#socket.ping();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    const leave = setTimeout(() => this.#socket.terminate(), FAREWELL_MS);
    this.#socket.once('close', () => clearTimeout(leave));
  }

  /** Settles when the client has closed it as well, or was left. */
  closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState === this.#socket.CLOSED) resolve();
      else this.#socket.once('close', () => resolve());
    });
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #checkBuffer(): void {
    this.#unread.update();
    if (this.#stream.writableLength > this.#maxBufferBytes) this.#onOverrun();
  }
}

/** Text arrives as one buffer in UTF-8, which the socket has checked. */
function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString('utf8');
  return Array.isArray(data) ? Buffer.concat(data).toString('utf8') : Buffer.from(data).toString('utf8');
}
