import { ChunkedBody } from './chunked-body.ts';
import { BrokenResponse, type ExchangeHandler } from './exchange.ts';
import { parseHead, type ResponseHead } from './response-head.ts';

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

const MAX_HEADS = 4;
/** Characters. Larger heads are rare, and are read each time. */
const MAX_LENGTH = 1_024;

interface CachedHead {
  readonly text: string;
  readonly head: ResponseHead;
}

/**
 * Reads the heads of one server's responses. Those that come one after the other are often the same to the letter: such a
 * head is not read again. What is said of one depends on nothing but its text.
 */
export class RecentHeads {
  readonly #heads: CachedHead[] = [];
  #oldest = 0;

  /**
   * @param text as of {@link parseHead}
   * @throws BrokenResponse
   */
  read(text: string): ResponseHead {
    for (let index = 0; index < this.#heads.length; index += 1) {
      const recent = this.#heads[index];
      if (recent?.text === text) return recent.head;
    }
    const head = parseHead(text);
    if (text.length <= MAX_LENGTH) this.#keep(text, head);
    return head;
  }

  #keep(text: string, head: ResponseHead): void {
    this.#heads[this.#oldest] = { text, head };
    this.#oldest = (this.#oldest + 1) % MAX_HEADS;
  }
}
