import type { Socket } from 'node:net';
import type { ShareKeys } from '@trellis/runtime/admission';
import type { RawData, WebSocket } from 'ws';
import { MessageType } from 'graphql-ws';
import type { GraphQLFormattedError } from 'graphql';
import type { HeldBytes, InFlightBytes } from '../../load/in-flight-bytes.ts';
import type { UnreadResponses } from '../../load/unread-responses.ts';
import type { UnreadBytes } from '../../load/unread-reader.ts';
import type { ResultSink, StreamedResult } from '../../pipeline/result-stream.ts';
import { GatheredWrites } from './gathered-writes.ts';
import { sharedHeadOf, type WireProtocol } from './wire-protocol.ts';

/** A socket that was upgraded. */
export interface UpgradedSocket {
  readonly socket: WebSocket;
  /** The connection below it. */
  readonly stream: Socket;
}

/** What waits for a client is bounded for it alone, and for all clients together. */
interface BufferBounds {
  /** Bytes that may wait for this client. */
  readonly maxBufferBytes: number;
  readonly unread: UnreadResponses;
  readonly inFlight: InFlightBytes;
  /** Whose share it counts in. */
  readonly keysOf: () => ShareKeys;
}

/** Called for a client's messages and for changes of its socket. */
interface SocketListener {
  /**
   * @param text nothing where the message is binary
   * @param bytes of the message
   */
  onMessage(text: string | undefined, bytes: number): void;
  onPing(): void;
  /** More waits for the client than may. Called once. */
  onOverrun(): void;
  /** More of messages that have not arrived whole is held for its caller than may be. */
  onTooMuchHeld(): void;
  /** Nothing follows. */
  onClose(): void;
}

/** After which a client that does not answer the end of its connection is left. */
const CLOSE_TIMEOUT_MS = 1_000;

/** The socket of one client: what waits for it is bounded, and so is the time that it may take to part. */
export class ClientSocket implements MessageWriter {
  readonly #socket: WebSocket;
  readonly #stream: Socket;
  readonly #frames: GatheredWrites;
  readonly #maxBufferBytes: number;
  readonly #onOverrun: () => void;
  readonly #unread: UnreadBytes;
  /** Whether something waited when it was written to last. */
  #hasUnread = false;
  /** Said once: a listener may write while it closes. */
  #isOverrun = false;
  #isAlive = true;
  readonly #held: HeldBytes;
  readonly #onTooMuchHeld: () => void;
  /** Bytes of messages that have not arrived whole. */
  #arrivedBytes = 0;
  /** Of those that arrived last. */
  #chunkBytes = 0;

  constructor({ socket, stream }: UpgradedSocket, bounds: BufferBounds, listener: SocketListener) {
    this.#socket = socket;
    this.#stream = stream;
    this.#frames = new GatheredWrites(stream, () => {
      if (this.#isOpen) this.#checkBuffer();
    });
    this.#maxBufferBytes = bounds.maxBufferBytes;
    this.#unread = bounds.unread.watch(stream, bounds.keysOf, () => stream.writableLength);
    this.#onOverrun = () => listener.onOverrun();
    this.#held = bounds.inFlight.open(bounds.keysOf);
    this.#onTooMuchHeld = () => listener.onTooMuchHeld();
    stream.prependListener('data', (chunk: Buffer) => this.#beforeReading(chunk.length));
    stream.on('data', () => this.#afterReading());
    socket.on('message', (data, isBinary) => {
      const bytes = bytesOf(data);
      this.#takeWhole(bytes);
      listener.onMessage(isBinary ? undefined : textOf(data), bytes);
    });
    socket.on('pong', (data) => {
      this.#takeWhole(data.length);
      this.#isAlive = true;
    });
    socket.on('ping', (data) => {
      this.#takeWhole(data.length);
      listener.onPing();
    });
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => {
      this.#unread.end();
      this.#held.release();
      listener.onClose();
    });
  }

  write(text: string): void {
    if (!this.#isOpen) return;
    this.#frames.flush(); // what is gathered does not wait for the client
    this.#socket.send(text);
    this.#checkBuffer();
  }

  /** Past the WebSocket, which would make the frame again. What goes through it is written to the same stream, so the order stays. */
  writeFrame(frame: Buffer): void {
    if (this.#isOpen) this.#frames.write(frame);
  }

  /** A client that has not answered the ping before is disconnected. */
  heartbeat(): void {
    if (!this.#isAlive) return this.#socket.terminate();
    this.#isAlive = false;
    this.#socket.ping();
  }

  /** @param isRead whether what the client still sends is read, for it to part in order */
  close(code: number, reason: string, isRead = true): void {
    part(this.#socket, code, reason);
    if (!isRead) this.#stream.pause();
  }

  /** Settles when the client has closed it as well, or was left. */
  closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState === this.#socket.CLOSED) resolve();
      else this.#socket.once('close', () => resolve());
    });
  }

  #beforeReading(bytes: number): void {
    this.#chunkBytes = bytes;
    this.#arrivedBytes += bytes;
  }

  /** The messages that the bytes have ended are taken off: of most, which arrive whole, nothing is left to count. */
  #afterReading(): void {
    if (this.#held.hold(this.#arrivedBytes) !== undefined && this.#isOpen) this.#onTooMuchHeld();
  }

  /** What is left has come with the last bytes. */
  #takeWhole(payloadBytes: number): void {
    const left = this.#arrivedBytes - payloadBytes - headBytesOf(payloadBytes);
    this.#arrivedBytes = Math.min(Math.max(0, left), this.#chunkBytes);
    this.#held.hold(this.#arrivedBytes);
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Mostly nothing waits, and nothing did: then that is all that is looked at, for each of many subscribers. */
  #checkBuffer(): void {
    const waiting = this.#stream.writableLength;
    if (waiting === 0 && !this.#hasUnread) return;
    this.#hasUnread = waiting > 0;
    this.#unread.update();
    if (waiting <= this.#maxBufferBytes || this.#isOverrun) return;
    this.#isOverrun = true;
    this.#onOverrun();
  }
}

/** Ends a connection, and leaves a client that does not end it as well. */
function part(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const leave = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(leave));
}

/** Ends a connection that is not served, whatever its client sends. */
export function closeUnserved(socket: WebSocket, code: number, reason: string): void {
  socket.on('error', () => undefined); // without a listener it would end the process
  part(socket, code, reason);
}

/** RFC 6455 §5.2: of a masked frame. Further frames of the same message have heads of their own, which is a few bytes too little. */
function headBytesOf(payloadBytes: number): number {
  if (payloadBytes < 126) return 6;
  return payloadBytes < 65_536 ? 8 : 14;
}

function bytesOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength;
}

/** Text arrives as one buffer in UTF-8, which the socket has checked. */
function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString('utf8');
  return Array.isArray(data) ? Buffer.concat(data).toString('utf8') : Buffer.from(data).toString('utf8');
}

/** The connection that messages are written to. */
export interface MessageWriter {
  write(text: string): void;
  /** @param frame a message that many connections may share */
  writeFrame(frame: Buffer): void;
}

const TAIL = Buffer.from('}');

/** Writes one stream into the messages of a connection. */
export class OperationSink implements ResultSink {
  readonly #id: string;
  /** What comes before each response: it is the same for all of them. */
  readonly #head: string;
  readonly #protocol: WireProtocol;
  readonly #writer: MessageWriter;
  readonly #onEnd: () => void;

  /** @param onEnd called before the message that ends the operation */
  constructor(id: string, protocol: WireProtocol, writer: MessageWriter, onEnd: () => void) {
    this.#id = id;
    this.#head = sharedHeadOf(id, protocol);
    this.#protocol = protocol;
    this.#writer = writer;
    this.#onEnd = onEnd;
  }

  /** Clients mostly number their operations: those with the same number get the same frame. */
  next(result: StreamedResult): void {
    const frame = result.framed(this.#head, ({ bytes }) => textFrame(Buffer.from(this.#head), bytes, TAIL));
    this.#writer.writeFrame(frame);
  }

  complete(): void {
    this.#onEnd();
    this.#writer.write(JSON.stringify({ id: this.#id, type: MessageType.Complete }));
  }

  fail(errors: readonly GraphQLFormattedError[]): void {
    this.#onEnd();
    for (const message of this.#protocol.failure(this.#id, errors))
      this.#writer.write(JSON.stringify(message));
  }
}

/** FIN and the opcode of text. */
const WHOLE_TEXT = 0x81;
/** Lengths up to here stand in the second byte; up to the other, in two bytes after it; beyond, in eight. */
const MAX_SHORT = 125;
const MAX_MEDIUM = 0xffff;

/**
 * A message of text as a server writes it to the connection: one frame, not masked.
 *
 * @param parts the text in UTF-8
 * @see RFC 6455 §5.2
 */
export function textFrame(...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  let end = length <= MAX_SHORT ? 2 : length <= MAX_MEDIUM ? 4 : 10;
  const frame = Buffer.allocUnsafe(end + length);
  frame[0] = WHOLE_TEXT;
  if (length <= MAX_SHORT) frame[1] = length;
  else if (length <= MAX_MEDIUM) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  for (const part of parts) end += part.copy(frame, end);
  return frame;
}
