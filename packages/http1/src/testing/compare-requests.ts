import { readPlainRequest, type PlainRequest } from '../server/plain-messages.ts';
import type { Comparison } from './compare-responses.ts';
import { readByLlhttp, type LlhttpMessage } from './llhttp.ts';
import type { RandomMessage } from './random-message.ts';

const WITHOUT_NONE: ReadonlySet<string> = new Set();

/** As loose as the reader can be made. */
const RULES = {
  paths: new Set(['/graphql']),
  maxBodyBytes: 10_000,
  maxHeaders: 256,
  without: WITHOUT_NONE,
  takes: () => true,
};

/** Reads a request by the own reader. What that accepts, llhttp must read as that one request, to the last byte. */
export function compareRequest({ text }: RandomMessage): Comparison {
  const bytes = Buffer.from(text, 'latin1');
  const request = readPlainRequest(bytes, RULES);
  return { isAccepted: request !== undefined, difference: request && differenceOf(request, bytes) };
}

function differenceOf(request: PlainRequest, bytes: Buffer): string | undefined {
  const { messages, error } = readByLlhttp('request', bytes);
  const [message, ...more] = messages;
  if (error !== undefined) return `accepted, though llhttp says ${error}`;
  if (!message?.isComplete || more.length > 0) return 'it ends elsewhere than llhttp says';
  return textOfOwn(request) === textOfLlhttp(message) ? undefined : 'the two read something else';
}

function textOfOwn({ path, headers, body }: PlainRequest): string {
  return JSON.stringify(['POST', path, Object.entries(headers), true, body.toString('latin1')]);
}

function textOfLlhttp({ method, url, fields, keepsAlive, body }: LlhttpMessage): string {
  return JSON.stringify([method, url, fields, keepsAlive, body]);
}
