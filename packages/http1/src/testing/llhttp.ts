import { createRequire } from 'node:module';

/** A message as llhttp reads it. */
export interface LlhttpMessage {
  readonly method: string | undefined;
  readonly url: string;
  readonly status: number;
  /** Names in lower case, and values, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly keepsAlive: boolean;
  /** Latin-1. */
  body: string;
  isComplete: boolean;
}

/** What llhttp makes of some bytes. */
export interface LlhttpReading {
  readonly messages: readonly LlhttpMessage[];
  /** Its code, where it rejects them. */
  readonly error: string | undefined;
}

/**
 * The parser of Node itself, which is llhttp, with no leniency. It has no public interface below a server or a client, and those
 * take thousands of times longer to read a message.
 */
interface NodeParser {
  initialize(kind: number, resource: object, maxHeadBytes: number, leniency: number): void;
  execute(bytes: Buffer): number | NodeJS.ErrnoException;
  finish(): undefined | NodeJS.ErrnoException;
  [callback: number]: (...values: never[]) => unknown;
}
interface NodeParserClass {
  new (): NodeParser;
  readonly REQUEST: number;
  readonly RESPONSE: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}
const { HTTPParser, methods } = createRequire(import.meta.url)('node:_http_common') as {
  readonly HTTPParser: NodeParserClass;
  readonly methods: readonly string[];
};

const MAX_HEAD_BYTES = 1_048_576;
const STRICT = 0;

type HeadValues = [
  major: number,
  minor: number,
  headers: readonly string[] | undefined,
  method: number | undefined,
  url: string | undefined,
  status: number | undefined,
  reason: string,
  upgrade: boolean,
  keepsAlive: boolean,
];

/** @param atEnd whether nothing comes behind these bytes */
export function readByLlhttp(kind: 'request' | 'response', bytes: Buffer, atEnd = false): LlhttpReading {
  const parser = new HTTPParser();
  parser.initialize(
    kind === 'request' ? HTTPParser.REQUEST : HTTPParser.RESPONSE,
    {},
    MAX_HEAD_BYTES,
    STRICT,
  );
  const messages: LlhttpMessage[] = [];
  let early: string[] = []; // it hands over 32 headers at a time, and the last ones with the rest, or trailers
  let earlyUrl = '';
  parser[HTTPParser.kOnHeaders] = (headers: readonly string[], url: string) => {
    if (messages.at(-1)?.isComplete === false) return;
    early.push(...headers);
    earlyUrl += url;
  };
  parser[HTTPParser.kOnHeadersComplete] = (...values: HeadValues) => {
    const [, , headers, method, url, status, , , keepsAlive] = values;
    const fields = pairsOf(headers ?? early);
    const name = method === undefined ? undefined : methods[method];
    messages.push({
      method: name,
      url: url ?? earlyUrl,
      status: status ?? 0,
      fields,
      keepsAlive,
      body: '',
      isComplete: false,
    });
    early = [];
    earlyUrl = '';
    return 0;
  };
  parser[HTTPParser.kOnBody] = (part: Buffer) => {
    const message = messages.at(-1);
    if (message) message.body += part.toString('latin1');
  };
  parser[HTTPParser.kOnMessageComplete] = () => {
    const message = messages.at(-1);
    if (message) message.isComplete = true;
  };
  const outcome = parser.execute(bytes);
  const error = typeof outcome === 'number' && atEnd ? parser.finish() : outcome;
  return { messages, error: error instanceof Error ? (error.code ?? error.message) : undefined };
}

function pairsOf(headers: readonly string[]): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let index = 0; index < headers.length; index += 2)
    pairs.push([(headers[index] ?? '').toLowerCase(), headers[index + 1] ?? '']);
  return pairs;
}
