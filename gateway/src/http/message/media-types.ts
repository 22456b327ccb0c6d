import type { IncomingHttpHeaders } from 'node:http';
import { readPreferences, type Preference } from '@trellis/http1/fields';
import { own } from '@trellis/runtime/own-property';
import { rejected } from '../../errors.ts';
import type { IncrementalDialect } from '../../execution/frames.ts';
import { canUnpack } from './unpack-body.ts';
import { multipartStream, serverSentEvents, type StreamFormat } from './stream-format.ts';

/** A media type that a single result is served in. */
export type ResultMediaType = 'application/json' | 'application/graphql-response+json';

/** The modes of a response that a client takes. */
export interface ResponseModes {
  /** Of a whole response; absent where the client takes nothing but parts or streams: a single part, or a stream of one, then. */
  readonly single: ResultMediaType | undefined;
  /** Of a response in parts; absent where the client takes none, or prefers a single one. */
  readonly parts: IncrementalDialect | undefined;
  /** Of a subscription or a live query; absent where the client takes none. */
  readonly stream: StreamFormat | undefined;
}

const SINGLE: Readonly<Record<string, ResultMediaType>> = {
  'application/graphql-response+json': 'application/graphql-response+json',
  'application/json': 'application/json',
  'application/*': 'application/json',
  '*/*': 'application/json',
};

/**
 * Chooses the modes of the response: those that the client prefers, `application/json` where it does not say. Parts are for
 * clients that name `multipart/mixed`, and don't prefer a whole response by its quality: the order says nothing, because
 * clients write what they hope for first or last.
 *
 * @throws RequestError NOT_ACCEPTABLE
 * @see GraphQL over HTTP, "Media Types"; RFC 9110 §12.5.1
 */
export function negotiateResponseModes(accept: string | undefined): ResponseModes {
  if (accept === undefined || accept.trim() === '') return JSON_ALONE;
  const known = modesByHeader.get(accept);
  if (known) return known;
  const modes = readModes(accept);
  if (accept.length <= MAX_REMEMBERED_CHARACTERS && modesByHeader.size < MAX_REMEMBERED)
    modesByHeader.set(accept, modes);
  return modes;
}

const JSON_ALONE: ResponseModes = { single: 'application/json', parts: undefined, stream: undefined };

/** There are a few headers that nearly all clients send. */
const modesByHeader = new Map<string, ResponseModes>();
const MAX_REMEMBERED = 100;
const MAX_REMEMBERED_CHARACTERS = 200;

function readModes(accept: string): ResponseModes {
  const accepted = parseAccept(accept);
  const single = firstOf(accepted, singleOf);
  const parts = firstOf(accepted, dialectOf);
  const stream = firstOf(accepted, streamFormatOf)?.form;
  if (!single && !parts && !stream) {
    throw rejected(
      'NOT_ACCEPTABLE',
      'Responses are application/json or application/graphql-response+json, in UTF-8, multipart/mixed, or text/event-stream.',
    );
  }
  const prefersSingle = (single?.quality ?? 0) > (parts?.quality ?? 0);
  return { single: single?.form, parts: prefersSingle ? undefined : parts?.form, stream };
}

/** Whether a client wants a page above all, as a browser does that goes to an address. */
export function prefersPage(accept: string | undefined): boolean {
  return (
    accept !== undefined && accept.includes('text/html') && parseAccept(accept)[0]?.value === 'text/html'
  );
}

/** The form of a response to a request that has failed, whatever it accepts. */
export function mediaTypeOfFailure(accept: string | undefined): ResultMediaType {
  try {
    return negotiateResponseModes(accept).single ?? 'application/json';
  } catch {
    return 'application/json';
  }
}

interface Accepted<Form> {
  readonly form: Form;
  readonly quality: number;
}

function firstOf<Form>(
  accepted: readonly Preference[],
  formOf: (range: Preference) => Form | undefined,
): Accepted<Form> | undefined {
  for (const range of accepted) {
    const form = formOf(range);
    if (form !== undefined) return { form, quality: range.quality };
  }
  return undefined;
}

function singleOf({ value }: Preference): ResultMediaType | undefined {
  return own(SINGLE, value);
}

/** Without a parameter it is the older dialect, which more clients read. A range that is for subscriptions is not for parts. */
function dialectOf({ value: range, parameters }: Preference): IncrementalDialect | undefined {
  if (range !== 'multipart/mixed' || parameters.has('subscriptionspec')) return undefined;
  const incremental = parameters.get('incrementalspec');
  if (incremental !== undefined) return incremental === 'v0.2' ? 'v0.2' : undefined;
  return (parameters.get('deferspec') ?? '20220824') === '20220824' ? '20220824' : undefined;
}

/** The format of streams that a media type stands for, where it stands for one. */
function streamFormatOf({ value: range, parameters }: Preference): StreamFormat | undefined {
  if (range === 'text/event-stream') return serverSentEvents;
  return range === 'multipart/mixed' && parameters.get('subscriptionspec') === '1.0'
    ? multipartStream
    : undefined;
}

/** What is accepted in UTF-8, the most wanted first. */
function parseAccept(accept: string): readonly Preference[] {
  return readPreferences(accept).filter(
    ({ parameters }) => (parameters.get('charset') ?? 'utf-8') === 'utf-8',
  );
}

const JSON_BODY = /^application\/json[ \t]*(?:;(.*))?$/i;
const UTF8_PARAMETER = /^charset ?= ?(?:utf-?8|"utf-?8")$/i;

/** Whether a body is declared as `application/json`: a media type for which browsers ask before sending it across origins. */
export function isJsonBody(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'] ?? '';
  return type === 'application/json' || JSON_BODY.test(type);
}

/** Whether a body is declared as `multipart/form-data`, the form of requests with files. */
export function isUploadBody(headers: IncomingHttpHeaders): boolean {
  return /^multipart\/form-data[ \t]*;/i.test(headers['content-type'] ?? '');
}

/** The encoding of a body in lower case; `identity` where it is not compressed. RFC 9110 §8.4 */
export function encodingOf(headers: IncomingHttpHeaders): string {
  const encoding = headers['content-encoding'];
  if (encoding === undefined) return 'identity';
  return encoding.trim().toLowerCase() || 'identity';
}

/**
 * Rejects bodies that are not `application/json` in UTF-8. It may be compressed in a way that takes little memory to unpack;
 * requests with files may not.
 *
 * @param takesFiles whether `multipart/form-data` is one as well
 * @throws RequestError UNSUPPORTED_MEDIA_TYPE
 */
export function assertReadableBody(headers: IncomingHttpHeaders, takesFiles: boolean): void {
  if (headers['content-type'] !== 'application/json' && !(takesFiles && isUploadBody(headers)))
    assertReadableType(headers);
  const encoding = encodingOf(headers);
  if (encoding === 'identity') return;
  if (isUploadBody(headers))
    throw rejected('UNSUPPORTED_MEDIA_TYPE', 'A body with files may not be compressed.');
  if (!canUnpack(encoding))
    throw rejected(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body may be compressed by gzip or deflate, and by one of them.',
    );
}

function assertReadableType(headers: IncomingHttpHeaders): void {
  const match = JSON_BODY.exec(headers['content-type'] ?? '');
  if (!match)
    throw rejected(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body has to be JSON: send "content-type: application/json".',
    );
  const parameters = (match[1] ?? '').split(';').map((parameter) => parameter.trim());
  if (!parameters.every((parameter) => parameter === '' || UTF8_PARAMETER.test(parameter)))
    throw rejected('UNSUPPORTED_MEDIA_TYPE', 'The only parameter of application/json is charset=utf-8.');
}
