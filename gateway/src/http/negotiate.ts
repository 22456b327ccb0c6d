import { refused } from '../errors.ts';
import type { IncrementalDialect } from '../incremental/frames.ts';

/** A media type that a single result is served in. */
export type ResultMediaType = 'application/json' | 'application/graphql-response+json';

/** The forms of an answer that a client takes. */
export interface AcceptedForms {
  /** Of a whole answer; absent where the client takes nothing but `multipart/mixed`: a single part then. */
  readonly single: ResultMediaType | undefined;
  /** Of an answer in parts; absent where the client takes none, or would rather have it whole. */
  readonly parts: IncrementalDialect | undefined;
}

/** What a client accepts. */
interface AcceptedRange {
  readonly range: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
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
  if (accept === undefined || accept.trim() === '') return { single: 'application/json', parts: undefined };
  const accepted = parseAccept(accept);
  const single = firstOf(accepted, singleOf);
  const parts = firstOf(accepted, dialectOf);
  if (!single && !parts) {
    throw refused(
      'NOT_ACCEPTABLE',
      'Answers are application/json or application/graphql-response+json, in UTF-8, or multipart/mixed.',
    );
  }
  const ratherWhole = (single?.quality ?? 0) > (parts?.quality ?? 0);
  return { single: single?.form, parts: ratherWhole ? undefined : parts?.form };
}

/** The form of an answer that no parts can be of. @throws RequestRefused NOT_ACCEPTABLE */
export function negotiateResult(accept: string | undefined): ResultMediaType {
  return negotiateForms(accept).single ?? 'application/json';
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

function parseAccept(accept: string): readonly AcceptedRange[] {
  return accept
    .split(',')
    .map(parseRange)
    .filter(({ quality }) => quality > 0)
    .toSorted((left, right) => right.quality - left.quality);
}

function parseRange(text: string): AcceptedRange {
  const [range = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  const parameters = new Map(rest.map(parseParameter));
  const readable = (parameters.get('charset') ?? 'utf-8') === 'utf-8';
  const quality = Number(parameters.get('q') ?? 1);
  return { range, parameters, quality: readable && quality >= 0 ? quality : 0 };
}

function parseParameter(text: string): [string, string] {
  const [name = '', ...value] = text.split('=');
  return [name.trim(), value.join('=').trim().replaceAll('"', '')];
}
