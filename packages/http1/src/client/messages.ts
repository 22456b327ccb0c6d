import type { Socket } from 'node:net';
import { CONNECTION_FIELDS, isFieldName, isFieldValue, MESSAGE_FIELDS } from '../fields.ts';
import { MalformedRequest, type ExchangeRequest, BrokenResponse, type ExchangeHandler } from './exchange.ts';
import { ChunkedBody } from './chunked-body.ts';
import { RecentHeads, type ResponseHead } from './response-head.ts';

/** A request, ready to be written. */
export interface RequestText {
  readonly head: string;
  readonly body: string;
  readonly isAscii: boolean;
}

/** What every request of a pool says. */
export interface RequestConstants {
  /** As the header `host` says it. */
  readonly host: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Name of the header with the milliseconds for which the response is waited for. */
  readonly timeoutHeader: string;
}

/**
 * Makes a writer of requests, which throws MalformedRequest for a header that would end its line, or whose name is none.
 *
 * @throws MalformedRequest for such a header among the constants
 */
export function requestWriter(constants: RequestConstants): (request: ExchangeRequest) => RequestText {
  const { host, headers, timeoutHeader } = constants;
  const lines = Object.entries({ host, connection: 'keep-alive', ...headers }).map(([name, value]) =>
    fieldLine(name, value),
  );
  const beginning = ` HTTP/1.1\r\n${lines.join('')}${timeoutHeader}: `;
  const ours = new Set([...CONNECTION_FIELDS, ...MESSAGE_FIELDS, ...Object.keys(headers), timeoutHeader]);
  return (request) => requestText(request, beginning, ours);
}

/** @param ours headers that the request may not say in another way */
function requestText(
  { path, headers, timeoutMs, body }: ExchangeRequest,
  beginning: string,
  ours: ReadonlySet<string>,
): RequestText {
  let head = `POST ${path}${beginning}${timeoutMs}\r\n`;
  for (const name of Object.keys(headers)) {
    if (!ours.has(name)) head += fieldLine(name, headers[name] as string); // an own key
  }
  const length = Buffer.byteLength(body);
  return { head: `${head}content-length: ${length}\r\n\r\n`, body, isAscii: length === body.length };
}

function fieldLine(name: string, value: string): string {
  assertHeader(name, value);
  return `${name}: ${value}\r\n`;
}

/** @throws MalformedRequest for a header that would end its line, or whose name is none */
export function assertHeader(name: string, value: string): void {
  if (!isFieldName(name) || !isFieldValue(value))
    throw new MalformedRequest('A header of a request is malformed.');
}

/** Writes at once: header values are Latin-1, a body is UTF-8, and ASCII is both. */
export function writeRequest(socket: Socket, { head, body, isAscii }: RequestText): void {
  if (isAscii) {
    socket.write(head + body, 'latin1');
    return;
  }
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body, 'utf8');
  socket.uncork();
}

/** Of the head, and of all interim responses before it. */
const MAX_HEAD_BYTES = 16_384;
const END_OF_HEAD = '\r\n\r\n';

/** Reads one response from what arrives, and calls the handler for it, except at its end. */
export class ResponseReader {
  readonly #handler: ExchangeHandler;
  readonly #heads: RecentHeads;
  readonly #onData: (data: Buffer) => void;
  /** What has arrived of a head that is not whole. */
  #pending: Buffer | undefined;
  #head: ResponseHead | undefined;
  #interimBytes = 0;
  #remaining = 0;
  #chunked: ChunkedBody | undefined;

  /** @param heads those of the server */
  constructor(handler: ExchangeHandler, heads: RecentHeads = new RecentHeads()) {
    this.#handler = handler;
    this.#heads = heads;
    this.#onData = (data) => handler.received(data);
  }

  /** The head of the response; `undefined` until it has arrived. */
  get head(): ResponseHead | undefined {
    return this.#head;
  }

  /**
   * @returns where the response ends in these bytes; -1 where there is more to come
   * @throws BrokenResponse
   */
  read(bytes: Buffer): number {
    if (this.#head) return this.#readBody(bytes, 0);
    const before = this.#pending?.length ?? 0;
    const all = this.#pending ? Buffer.concat([this.#pending, bytes]) : bytes;
    const bodyStart = this.#readHead(all);
    if (bodyStart === -1) return -1;
    const end = this.#readBody(all, bodyStart);
    return end === -1 ? -1 : end - before;
  }

  /** @returns where the body begins; -1 where the head is not whole */
  #readHead(bytes: Buffer): number {
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(END_OF_HEAD, from, 'latin1');
      const headBytes = (end === -1 ? bytes.length : end) - from;
      if (this.#interimBytes + headBytes > MAX_HEAD_BYTES)
        throw new BrokenResponse('The headers are too large.');
      if (end === -1) {
        this.#pending = Buffer.from(bytes.subarray(from)); // the socket uses its memory again
        return -1;
      }
      const head = this.#heads.read(bytes.toString('latin1', from, end));
      from = end + END_OF_HEAD.length;
      if (head.status >= 200) return this.#begin(head, from);
      if (head.status === 101) throw new BrokenResponse('The protocol was changed unasked.');
      if (!head.keepsAlive) throw new BrokenResponse('An interim response is malformed.');
      this.#interimBytes += headBytes + END_OF_HEAD.length;
    }
  }

  #begin(head: ResponseHead, bodyStart: number): number {
    this.#head = head;
    this.#pending = undefined;
    this.#remaining = head.length ?? 0;
    if (head.framing === 'chunked') this.#chunked = new ChunkedBody();
    this.#handler.responded(head);
    return bodyStart;
  }

  #readBody(bytes: Buffer, from: number): number {
    if (this.#chunked) return this.#chunked.read(bytes, from, this.#onData);
    const { framing } = this.#head as ResponseHead; // only called once it has arrived
    if (framing === 'none') return from;
    const end = framing === 'until-close' ? bytes.length : Math.min(bytes.length, from + this.#remaining);
    if (end > from) this.#onData(bytes.subarray(from, end));
    this.#remaining -= end - from;
    return framing === 'length' && this.#remaining === 0 ? end : -1;
  }
}

/** Bodies of half of that, or less, cost little, and have memory of their own. */
const MIN_BITS = 16;
/** What a subgraph announces is trusted up to here; beyond, memory is taken as the body arrives. */
const MAX_FIRST_BYTES = 1_048_576;
/** So much stays with the process when no body is being read. */
const MAX_FREE_BYTES = 8 * MAX_FIRST_BYTES;

/**
 * Memory for bodies of 32 KiB to 1 MiB, used again and again. V8 counts what it has not allocated itself, and each megabyte of
 * it brings the next full garbage collection nearer, whatever the heap holds.
 */
export class BodyMemory {
  /** By the logarithm of their length. */
  readonly #free: Buffer[][] = [];
  #freeBytes = 0;

  /** @returns so many bytes at least, with anything in them */
  take(length: number): Buffer {
    const bits = bitsOf(length);
    if (bits < MIN_BITS || length > MAX_FIRST_BYTES) return Buffer.allocUnsafe(length);
    const known = this.#free[bits]?.pop();
    if (!known) return Buffer.allocUnsafeSlow(2 ** bits);
    this.#freeBytes -= known.length;
    return known;
  }

  /** Whether {@link give} has a use for it. */
  isOfHere({ length }: Buffer): boolean {
    return length >= 2 ** MIN_BITS && length <= MAX_FIRST_BYTES && length === 2 ** bitsOf(length);
  }

  /** The next one who asks may write to it: no one may read it any more. */
  give(bytes: Buffer): void {
    if (!this.isOfHere(bytes) || this.#freeBytes + bytes.length > MAX_FREE_BYTES) return;
    this.#freeBytes += bytes.length;
    (this.#free[bitsOf(bytes.length)] ??= []).push(bytes);
  }
}

/** Of the smallest power of two that is not less. */
function bitsOf(length: number): number {
  return length <= 1 ? 0 : 32 - Math.clz32(length - 1);
}

const MIN_BYTES = 1_024;

/** Puts a body together from what is read into memory that is used again. */
export class BodyBuffer {
  readonly #memory: BodyMemory;
  #bytes: Buffer;
  #length = 0;

  /** @param announced its length, where that is known */
  constructor(memory: BodyMemory, announced: number = MIN_BYTES) {
    this.#memory = memory;
    this.#bytes = memory.take(Math.min(announced, MAX_FIRST_BYTES));
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Copies what was read. */
  add(read: Buffer): void {
    const length = this.#length + read.length;
    if (length > this.#bytes.length) this.#grow(length);
    read.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** The body. Nothing can be added any more. */
  take(): Buffer {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  /** To be called once at most, when no one reads the body any more; absent where its memory is not used again. */
  get releaser(): (() => void) | undefined {
    const bytes = this.#bytes;
    return this.#memory.isOfHere(bytes) ? () => this.#memory.give(bytes) : undefined;
  }

  #grow(length: number): void {
    const smaller = this.#bytes;
    this.#bytes = this.#memory.take(Math.max(length, smaller.length * 2));
    smaller.copy(this.#bytes, 0, 0, this.#length);
    this.#memory.give(smaller);
  }
}
