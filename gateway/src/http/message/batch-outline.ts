import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { RequestError } from '../../errors.ts';
import { isJsonBody } from './media-types.ts';

/** Bytes of a body in which operations are counted for a rejection: rejecting costs little. */
const MAX_COUNTED_BYTES = 65_536;
/** Results of one rejection. Longer batches come from few clients, and a short request would have a long response. */
const MAX_RESULTS = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;

/** What a rejection knows of a body. */
export interface BodyOutline {
  /** Absent where nothing but white space has been seen. */
  readonly isBatch?: boolean | undefined;
  /** Operations of the batch; absent where it is no batch, an empty one, cut off, or too long to count. */
  readonly operations?: number | undefined;
}

/**
 * What a rejection must know of a body that has not been parsed: whether it is a batch, and of how many operations. Clients of
 * batches take a list with a result for each operation. The body is not stored, and not checked for being JSON.
 *
 * @see ADR 93
 */
export class BatchOutline implements BodyOutline {
  isBatch: boolean | undefined;
  #bytes = 0;
  #depth = 0;
  #commas = 0;
  #isEmpty = true;
  #isText = false;
  #isEscaped = false;
  #isWhole = false;

  /** Of a body that is in memory. */
  static of(body: Buffer): BatchOutline {
    const outline = new BatchOutline();
    outline.read(body);
    return outline;
  }

  get operations(): number | undefined {
    const count = this.#commas + 1;
    return this.isBatch && this.#isWhole && !this.#isEmpty && count <= MAX_RESULTS ? count : undefined;
  }

  /** @returns whether the next bytes can say more */
  read(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_COUNTED_BYTES) return (this.isBatch ??= beginsBatch(chunk)) === undefined;
    for (const byte of chunk) if (byte > SPACE && !this.#readByte(byte)) return false;
    return true;
  }

  /** @returns whether the next one can say more */
  #readByte(byte: number): boolean {
    this.isBatch ??= byte === 0x5b;
    if (!this.isBatch || this.#isWhole) return false;
    if (this.#isText) this.#readText(byte);
    else this.#readStructure(byte);
    return !this.#isWhole;
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
  }

  #readStructure(byte: number): void {
    if (this.#depth === 1 && byte !== 0x5d) this.#isEmpty = false;
    if (byte === QUOTE) this.#isText = true;
    else if (byte === COMMA && this.#depth === 1) this.#commas += 1;
    else if (byte === 0x5b || byte === 0x7b) this.#depth += 1;
    else if (byte === 0x5d || byte === 0x7d) this.#isWhole = (this.#depth -= 1) === 0;
  }
}

/** Whether a body that begins with these bytes is a batch; nothing where they are all white space. */
export function beginsBatch(bytes: Buffer): boolean | undefined {
  const first = bytes.find((byte) => byte > SPACE);
  return first === undefined ? undefined : first === 0x5b;
}

/** A rejection of a body of which something is known. */
export class BodyRejection extends RequestError {
  readonly outline: BodyOutline;

  constructor({ errors }: RequestError, outline: BodyOutline) {
    super(errors);
    this.outline = outline;
  }
}

/** Whether a request may bring a batch. */
export function mayBringBatch(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return method === 'POST' && isJsonBody(headers);
}

/**
 * Reads the outline of a body while it arrives, and drops the rest of it.
 *
 * @param onOutlined called once, as soon as no more is to be learned; not called where the client disconnects, which the
 * server does for it after its request timeout
 */
export function outlineArriving(body: IncomingMessage, onOutlined: (outline: BatchOutline) => void): void {
  const outline = new BatchOutline();
  const end = (): void => {
    body.off('data', onData).off('end', end);
    body.resume();
    onOutlined(outline);
  };
  const onData = (chunk: Buffer): void => {
    if (!outline.read(chunk)) end();
  };
  body.on('data', onData).on('end', end);
}
