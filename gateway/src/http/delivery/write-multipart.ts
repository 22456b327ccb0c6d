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
 * @see RFC 2046 §5.1.1
 */
export function writeMultipart(
  frames: AsyncIterable<string>,
  heartbeat: string,
  { heartbeatMs, stalledMs }: MultipartTimes,
): Readable {
  const onStall = (): void => void body.destroy(new Error(`The client read nothing for ${stalledMs} ms.`));
  const parts = multipartOf(withHeartbeats(frames, heartbeat, heartbeatMs));
  const body = Readable.from(untilStalled(parts, stalledMs, onStall), {
    objectMode: false,
    highWaterMark: HIGH_WATER_BYTES,
  });
  return body;
}

async function* multipartOf(frames: AsyncIterable<string>): AsyncGenerator<string> {
  yield DELIMITER;
  for await (const frame of frames) yield `${PART_HEAD}${frame}${DELIMITER}`;
  yield '--\r\n';
}

/** Whoever takes the texts comes back for the next as soon as there is room for it. */
async function* untilStalled(
  texts: AsyncIterable<string>,
  stalledMs: number,
  onStall: () => void,
): AsyncGenerator<string> {
  for await (const text of texts) {
    const timer = setTimeout(onStall, stalledMs);
    try {
      yield text;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Puts a heartbeat wherever the next frame takes longer than that. */
async function* withHeartbeats(
  frames: AsyncIterable<string>,
  heartbeat: string,
  everyMs: number,
): AsyncGenerator<string> {
  const iterator = frames[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const result = await within(next, everyMs);
      if (result === undefined) yield heartbeat;
      else if (result.done) return;
      else {
        yield result.value;
        next = iterator.next();
      }
    }
  } finally {
    // It ends when its work is aborted: nobody has to wait for that, and nobody is left to hear how it went.
    void iterator.return?.().catch(() => undefined);
  }
}

/** @returns nothing when it takes longer */
async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
