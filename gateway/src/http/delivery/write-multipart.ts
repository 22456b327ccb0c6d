import { Readable } from 'node:stream';

/** Deadlines of a stream of parts. */
export interface MultipartTimes {
  /** Silence after which a heartbeat is sent, milliseconds: proxies cut connections that are silent for long. */
  readonly heartbeatMs: number;
  /** How long a client may leave unread what it was sent, milliseconds: then its connection is closed. */
  readonly stalledMs: number;
}

/** What is between parts. No JSON text has a line that begins with it: line breaks are escaped there. */
export const BOUNDARY = '-';

const PART_HEAD = '\r\ncontent-type: application/json; charset=utf-8\r\n\r\n';
const DELIMITER = `\r\n--${BOUNDARY}`;

const HIGH_WATER_BYTES = 65_536;

/**
 * Writes JSON texts as the parts of a `multipart/mixed` body. Each is followed by its delimiter at once, so that no client
 * has to wait for the next part to know that one is whole. Texts are taken as fast as the client reads.
 *
 * @param heartbeat a text that changes nothing
 * @param onWritten called when a part was handed over: it is on its way to the client, or waits for it, a turn of the event loop later
 * @see RFC 2046 §5.1.1
 */
export function writeMultipart(
  frames: AsyncIterable<string>,
  heartbeat: string,
  times: MultipartTimes,
  onWritten: () => void = () => undefined,
): Readable {
  return new MultipartBody(frames[Symbol.asyncIterator](), heartbeat, times, onWritten);
}

class MultipartBody extends Readable {
  readonly #frames: AsyncIterator<string>;
  readonly #heartbeat: string;
  readonly #times: MultipartTimes;
  readonly #onWritten: () => void;
  /** The frame that is waited for, if it is. */
  #next: Promise<IteratorResult<string>> | undefined;
  #isTaking = false;
  #hasBegun = false;
  #stall: NodeJS.Timeout | undefined;

  constructor(
    frames: AsyncIterator<string>,
    heartbeat: string,
    times: MultipartTimes,
    onWritten: () => void,
  ) {
    super({ highWaterMark: HIGH_WATER_BYTES });
    this.#frames = frames;
    this.#heartbeat = heartbeat;
    this.#times = times;
    this.#onWritten = onWritten;
  }

  /** There is room: the reader is called back as soon as there is. */
  override _read(): void {
    clearTimeout(this.#stall);
    if (this.#isTaking) return;
    this.#isTaking = true;
    this.#take().catch((error: unknown) => this.destroy(error as Error)); // frames fail with errors alone
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#stall);
    this.#leaveFrames();
    callback(error);
  }

  /** They end when their work is aborted: nothing waits for that, and the client has disconnected. */
  #leaveFrames(): void {
    this.#frames.return?.().catch(() => undefined);
  }

  async #take(): Promise<void> {
    let hasRoom = true;
    while (hasRoom) {
      this.#next ??= this.#frames.next();
      const result = await within(this.#next, this.#times.heartbeatMs);
      if (this.destroyed) return;
      if (result) this.#next = undefined;
      if (result?.done === true) return this.#end();
      hasRoom = this.push(this.#partOf(result?.value ?? this.#heartbeat));
      this.#onWritten();
    }
    this.#isTaking = false;
    this.#stall = setTimeout(() => this.#giveUp(), this.#times.stalledMs);
  }

  #partOf(frame: string): string {
    const part = `${PART_HEAD}${frame}${DELIMITER}`;
    if (this.#hasBegun) return part;
    this.#hasBegun = true;
    return `${DELIMITER}${part}`;
  }

  #end(): void {
    this.push(this.#hasBegun ? '--\r\n' : `${DELIMITER}--\r\n`);
    this.push(null);
  }

  #giveUp(): void {
    this.destroy(new Error(`The client read nothing for ${this.#times.stalledMs} ms.`));
  }
}

/** @returns nothing when it takes longer */
function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, undefined);
    const end = <Outcome>(settle: (outcome: Outcome) => void, outcome: Outcome): void => {
      clearTimeout(timer);
      settle(outcome);
    };
    void promise.then(
      (value) => end(resolve, value),
      (error: unknown) => end(reject, error),
    );
  });
}
