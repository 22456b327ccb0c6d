import { refused } from '../../errors.ts';
import type { IncrementalDialect } from '../../execution/frames.ts';
import { parseAccept, type AcceptedRange } from './accept.ts';
import { streamFormatOf, type StreamFormat } from './stream-format.ts';

/** A media type that a single result is served in. */
export type ResultMediaType = 'application/json' | 'application/graphql-response+json';

/** The forms of an answer that a client takes. */
export interface AcceptedForms {
  /** Of a whole answer; absent where the client takes nothing but parts or streams: a single part, or a stream of one, then. */
  readonly single: ResultMediaType | undefined;
  /** Of an answer in parts; absent where the client takes none, or would rather have it whole. */
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
 * Chooses the forms of the answer: those that the client prefers, `application/json` where it does not say. Parts are for
 * clients that name `multipart/mixed`, and don't prefer a whole answer by its quality: the order says nothing, because
 * clients write what they hope for first or last.
 *
 * @throws RequestRefused NOT_ACCEPTABLE
 * @see GraphQL over HTTP, "Media Types"; RFC 9110 §12.5.1
 */
export function negotiateForms(accept: string | undefined): AcceptedForms {
  if (accept === undefined || accept.trim() === '') return JSON_ALONE;
  const known = formsByHeader.get(accept);
  if (known) return known;
  const forms = readForms(accept);
  if (accept.length <= MAX_REMEMBERED_CHARACTERS && formsByHeader.size < MAX_REMEMBERED)
    formsByHeader.set(accept, forms);
  return forms;
}

const JSON_ALONE: AcceptedForms = { single: 'application/json', parts: undefined, stream: undefined };

/** There are a few headers that nearly all clients send. */
const formsByHeader = new Map<string, AcceptedForms>();
const MAX_REMEMBERED = 100;
const MAX_REMEMBERED_CHARACTERS = 200;

function readForms(accept: string): AcceptedForms {
  const accepted = parseAccept(accept);
  const single = firstOf(accepted, singleOf);
  const parts = firstOf(accepted, dialectOf);
  const stream = firstOf(accepted, streamFormatOf)?.form;
  if (!single && !parts && !stream) {
    throw refused(
      'NOT_ACCEPTABLE',
      'Answers are application/json or application/graphql-response+json, in UTF-8, multipart/mixed, or text/event-stream.',
    );
  }
  const ratherWhole = (single?.quality ?? 0) > (parts?.quality ?? 0);
  return { single: single?.form, parts: ratherWhole ? undefined : parts?.form, stream };
}

/** The form of an answer to a request that has failed, whatever it accepts. */
export function mediaTypeOfFailure(accept: string | undefined): ResultMediaType {
  try {
    return negotiateForms(accept).single ?? 'application/json';
  } catch {
    return 'application/json';
  }
}

interface Accepted<Form> {
  readonly form: Form;
  readonly quality: number;
}

function firstOf<Form>(
  accepted: readonly AcceptedRange[],
  formOf: (range: AcceptedRange) => Form | undefined,
): Accepted<Form> | undefined {
  for (const range of accepted) {
    const form = formOf(range);
    if (form !== undefined) return { form, quality: range.quality };
  }
  return undefined;
}

function singleOf({ range }: AcceptedRange): ResultMediaType | undefined {
  return Object.hasOwn(SINGLE, range) ? SINGLE[range] : undefined;
}

/** Without a parameter it is the older dialect, which more clients read. A range that is for subscriptions is not for parts. */
function dialectOf({ range, parameters }: AcceptedRange): IncrementalDialect | undefined {
  if (range !== 'multipart/mixed' || parameters.has('subscriptionspec')) return undefined;
  const incremental = parameters.get('incrementalspec');
  if (incremental !== undefined) return incremental === 'v0.2' ? 'v0.2' : undefined;
  return (parameters.get('deferspec') ?? '20220824') === '20220824' ? '20220824' : undefined;
}
