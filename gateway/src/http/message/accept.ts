/** One of the media types that a client accepts. */
export interface AcceptedRange {
  /** In lower case: `text/html`, `text/*`. */
  readonly range: string;
  /** Without quotes; names and values in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
  /** How much it is wanted, up to 1. */
  readonly quality: number;
}

/**
 * Reads an `Accept` header.
 *
 * @returns what is accepted in UTF-8, the most wanted first
 * @see RFC 9110 §12.5.1
 */
export function parseAccept(accept: string): readonly AcceptedRange[] {
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
