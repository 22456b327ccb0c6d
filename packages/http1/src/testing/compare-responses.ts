import { BrokenResponse, type ResponseStart } from '../client/exchange.ts';
import { ResponseReader } from '../client/messages.ts';
import { readByLlhttp, type LlhttpMessage } from './llhttp.ts';
import type { RandomMessage } from './random-message.ts';

/** What came of a comparison. */
export interface Comparison {
  readonly isAccepted: boolean;
  /** What the two readers disagree about, if anything. */
  readonly difference: string | undefined;
}

interface Reading {
  readonly state: 'complete' | 'rejected' | 'waiting';
  readonly start: ResponseStart | undefined;
  readonly keepsAlive: boolean;
  /** Latin-1. */
  readonly body: string;
  /** Where the response ends. */
  readonly end: number;
}

/**
 * Reads a response in pieces by the own client, and in one by llhttp. What the first accepts, the second must accept up to the
 * same byte and read alike; where the second has read all of it, the first must not wait for more.
 */
export function compareResponse({ text, isOrdinary }: RandomMessage, pieces: readonly Buffer[]): Comparison {
  const bytes = Buffer.from(text, 'latin1');
  const own = readInPieces(pieces, bytes.length);
  const isAccepted = own.state === 'complete';
  if (isAccepted) return { isAccepted, difference: differenceOf(own, bytes) };
  const [response] = finalOf(readByLlhttp('response', bytes).messages);
  // without the end of a head nothing has been accepted: llhttp ends some heads with carriage returns alone
  if (own.state === 'waiting' && own.start && response?.isComplete)
    return { isAccepted, difference: 'it waits where llhttp has read all' };
  return { isAccepted, difference: isOrdinary ? 'an ordinary response is not accepted' : undefined };
}

function differenceOf(own: Reading, bytes: Buffer): string | undefined {
  const isUntilClose = own.end === bytes.length && !own.keepsAlive;
  const { messages, error } = readByLlhttp('response', bytes.subarray(0, own.end), isUntilClose);
  if (error !== undefined) return `accepted, though llhttp says ${error}`;
  const [response, ...more] = finalOf(messages);
  if (!response?.isComplete || more.length > 0) return 'it ends elsewhere than llhttp says';
  if (response.status !== own.start?.status) return 'the status differs';
  if (response.body !== own.body) return 'the body differs';
  if (own.keepsAlive && !response.keepsAlive)
    return 'the connection is used again, though llhttp says that it ends';
  return headOf(response) === headOf(own) ? undefined : 'the headers differ';
}

function finalOf(messages: readonly LlhttpMessage[]): readonly LlhttpMessage[] {
  return messages.filter(({ status }) => status >= 200);
}

/** What the client takes from a head. */
function headOf(of: Reading | LlhttpMessage): string {
  if ('start' in of) return JSON.stringify([of.start?.cacheControl, of.start?.encoding, of.start?.length]);
  const valueOf = (name: string): string | undefined => {
    const values = of.fields.filter(([field]) => field === name).map(([, value]) => value);
    return values.length === 0 ? undefined : values.join(', ');
  };
  const encoding = valueOf('content-encoding')?.toLowerCase();
  const length = valueOf('content-length');
  const isEncoded = encoding !== undefined && encoding !== '' && encoding !== 'identity';
  return JSON.stringify([
    valueOf('cache-control'),
    isEncoded ? encoding : undefined,
    length === undefined ? undefined : Number(length),
  ]);
}

function readInPieces(pieces: readonly Buffer[], total: number): Reading {
  let start: ResponseStart | undefined;
  let body = '';
  const never = (): never => {
    throw new Error('The reader says neither that it began nor that it ended.');
  };
  const reader = new ResponseReader({
    started: never,
    responded: (head) => (start = head),
    received: (part) => (body += part.toString('latin1')),
    ended: never,
    failed: never,
  });
  const reading = (state: Reading['state'], end: number): Reading => ({
    state,
    start,
    keepsAlive: reader.head?.keepsAlive === true,
    body,
    end,
  });
  let before = 0;
  try {
    for (const piece of pieces) {
      const memory = Buffer.from(piece);
      const end = reader.read(memory);
      memory.fill(0x21); // the socket uses it again
      if (end !== -1) return reading('complete', before + end);
      before += piece.length;
    }
  } catch (error) {
    if (!(error instanceof BrokenResponse)) throw error;
    return reading('rejected', before);
  }
  return reading(reader.head?.framing === 'until-close' ? 'complete' : 'waiting', total);
}
