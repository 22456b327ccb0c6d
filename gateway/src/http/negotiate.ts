import { refused } from '../errors.ts';

/** A media type that a single result is served in. */
export type ResultMediaType = 'application/json' | 'application/graphql-response+json';

/** What a client accepts, in the order of its preference. */
interface AcceptedRange {
  readonly range: string;
  readonly quality: number;
}

const SERVED: Readonly<Record<string, ResultMediaType>> = {
  'application/graphql-response+json': 'application/graphql-response+json',
  'application/json': 'application/json',
  'application/*': 'application/json',
  '*/*': 'application/json',
};

/**
 * Chooses the media type of the answer: the one the client prefers, `application/json` where it does not say.
 *
 * @throws RequestRefused NOT_ACCEPTABLE
 * @see GraphQL over HTTP, "Media Types"; RFC 9110 §12.5.1
 */
export function negotiateResult(accept: string | undefined): ResultMediaType {
  if (accept === undefined || accept.trim() === '') return 'application/json';
  for (const { range } of parseAccept(accept)) {
    const served = Object.hasOwn(SERVED, range) ? SERVED[range] : undefined;
    if (served) return served;
  }
  throw refused(
    'NOT_ACCEPTABLE',
    'Answers are application/json or application/graphql-response+json, in UTF-8.',
  );
}

function parseAccept(accept: string): readonly AcceptedRange[] {
  return accept
    .split(',')
    .map(parseRange)
    .filter(({ quality }) => quality > 0)
    .toSorted((left, right) => right.quality - left.quality);
}

function parseRange(text: string): AcceptedRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const charset = valueOf(parameters, 'charset');
  const readable = charset === undefined || charset.replaceAll('"', '') === 'utf-8';
  const quality = Number(valueOf(parameters, 'q') ?? 1);
  return { range, quality: readable && quality >= 0 ? quality : 0 };
}

function valueOf(parameters: readonly string[], name: string): string | undefined {
  const parameter = parameters.find((candidate) => candidate.split('=')[0]?.trim() === name);
  return parameter?.slice(parameter.indexOf('=') + 1).trim();
}
