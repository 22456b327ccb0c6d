import type { Bytes } from '../bytes.ts';
import { ProtocolError } from '../errors.ts';
import { parseInteger } from '../values/integer.ts';
import { splitInlineRequest } from './inline-request.ts';

/** What one request may weigh. */
export interface RequestLimits {
  readonly maxArguments: number;
  /** Bytes of one argument. */
  readonly maxBulkBytes: number;
  /** Bytes of all arguments of one request. */
  readonly maxRequestBytes: number;
  /** What a length beyond them is called. */
  readonly complaint: 'invalid' | 'unauthenticated';
}

/** For clients that have not authenticated yet, as Redis does: enough to authenticate. */
export const UNAUTHENTICATED_LIMITS: RequestLimits = {
  maxArguments: 10,
  maxBulkBytes: 16_384,
  maxRequestBytes: 65_536,
  complaint: 'unauthenticated',
};

const MAX_LINE_BYTES = 65_536;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Cuts what arrives on a connection into requests: arrays of bulk strings, or lines that a user typed. Bytes go in by
 * `push`, whole requests come out by `next`; an argument that arrives in a thousand pieces is joined once.
 */
export class RequestParser {
  readonly #limits: () => RequestLimits;
  #data: Buffer = Buffer.alloc(0);
  #position = 0;
  #arrived: Buffer[] = [];
  #arrivedBytes = 0;
  /** Unread bytes that must be there before it is worth looking again. */
  #needed = 0;
  #arguments: Bytes[] = [];
  #argumentBytes = 0;
  #remaining = 0;
  #bulkLength = -1;

  /** @param limits asked for each request: they grow when the client has authenticated */
  constructor(limits: () => RequestLimits) {
    this.#limits = limits;
  }

  /** What has arrived and was not taken out yet. */
  get bufferedBytes(): number {
    return this.#data.length - this.#position + this.#arrivedBytes;
  }

  push(chunk: Buffer): void {
    this.#arrived.push(chunk);
    this.#arrivedBytes += chunk.length;
  }

  /**
   * The next whole request, at least one word long.
   *
   * @returns undefined when more has to arrive
   * @throws ProtocolError for anything else than a request, and one beyond the limits
   */
  next(): readonly Bytes[] | undefined {
    if (!this.#join()) return undefined;
    for (;;) {
      if (this.#remaining === 0) {
        const line = this.#line('too big inline request');
        if (line === undefined) return undefined;
        if (!line.startsWith('*')) {
          const words = splitInlineRequest(line);
          if (words.length > 0) return words;
          continue;
        }
        this.#open(line);
      }
      if (this.#remaining > 0) return this.#readArguments();
    }
  }

  #join(): boolean {
    const unread = this.#data.length - this.#position;
    if (unread + this.#arrivedBytes < this.#needed) return false;
    if (this.#arrivedBytes > 0) {
      this.#data = Buffer.concat([this.#data.subarray(this.#position), ...this.#arrived]);
      this.#position = 0;
      this.#arrived = [];
      this.#arrivedBytes = 0;
    }
    this.#needed = 0;
    return true;
  }

  #open(line: Bytes): void {
    const { maxArguments, complaint } = this.#limits();
    const count = lengthArgument(line, 'multibulk');
    if (count > maxArguments) throw new ProtocolError(`ERR Protocol error: ${complaint} multibulk length`);
    this.#remaining = Math.max(0, count);
    this.#arguments = [];
    this.#argumentBytes = 0;
  }

  #readArguments(): readonly Bytes[] | undefined {
    while (this.#remaining > 0) {
      const argument = this.#argument();
      if (argument === undefined) return undefined;
      this.#arguments.push(argument);
      this.#remaining -= 1;
    }
    return this.#arguments;
  }

  #argument(): Bytes | undefined {
    if (this.#bulkLength < 0) {
      const line = this.#line('too big bulk count string');
      if (line === undefined) return undefined;
      this.#bulkLength = this.#lengthOf(line);
    }
    const end = this.#position + this.#bulkLength;
    if (this.#data.length < end + 2) {
      this.#needed = this.#bulkLength + 2;
      return undefined;
    }
    const argument = this.#data.toString('latin1', this.#position, end);
    this.#position = end + 2;
    this.#bulkLength = -1;
    return argument;
  }

  #lengthOf(line: Bytes): number {
    if (!line.startsWith('$'))
      throw new ProtocolError(`ERR Protocol error: expected '$', got '${line.charAt(0) || ' '}'`);
    const { maxBulkBytes, maxRequestBytes, complaint } = this.#limits();
    const length = lengthArgument(line, 'bulk');
    if (length < 0) throw new ProtocolError('ERR Protocol error: invalid bulk length');
    if (length > maxBulkBytes) throw new ProtocolError(`ERR Protocol error: ${complaint} bulk length`);
    this.#argumentBytes += length;
    if (this.#argumentBytes > maxRequestBytes) throw new ProtocolError('ERR Protocol error: too big request');
    return length;
  }

  /** Up to a line feed; the carriage return before it is not part of the line. */
  #line(complaint: string): Bytes | undefined {
    const end = this.#data.indexOf(LINE_FEED, this.#position);
    if (end < 0) {
      const tooLong = this.#data.length - this.#position > MAX_LINE_BYTES;
      if (tooLong) throw new ProtocolError(`ERR Protocol error: ${complaint}`);
      return undefined;
    }
    const stop = end > this.#position && this.#data[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    const line = this.#data.toString('latin1', this.#position, stop);
    this.#position = end + 1;
    return line;
  }
}

/** The number behind `*` or `$`. */
function lengthArgument(line: Bytes, what: 'multibulk' | 'bulk'): number {
  const length = parseInteger(line.slice(1));
  if (length === undefined) throw new ProtocolError(`ERR Protocol error: invalid ${what} length`);
  return Number(length);
}
