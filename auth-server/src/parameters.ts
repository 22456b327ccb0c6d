import { characterProblem, type TextKind } from '@trellis/runtime/admission';
import { OAuthError } from './errors.ts';

/** Most name=value pairs that a request may carry. */
const MAX_PAIRS = 200;

/** RFC 8707 §2 and RFC 8693 §2.1 alone let a parameter repeat. */
const REPEATABLE: ReadonlySet<string> = new Set(['resource', 'audience']);

/** A user's own business, as long as it can be hashed. */
const PASSWORDS: ReadonlySet<string> = new Set(['password', 'new_password']);

/**
 * The parameters of a query string or form. Names are looked up in a map, so no name is special; a parameter without a
 * value counts as absent (RFC 6749 §3.1).
 */
export class Parameters {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /** The value, or undefined when it is absent, empty, or sent more than once. */
  get(name: string): string | undefined {
    const values = this.#values.get(name);
    return values?.length === 1 && values[0] !== '' ? values[0] : undefined;
  }

  /** All values but the empty ones, in the order sent. */
  getAll(name: string): readonly string[] {
    return (this.#values.get(name) ?? []).filter((value) => value !== '');
  }

  /** Whether the name occurs twice, whatever the values. */
  isRepeated(name: string): boolean {
    return (this.#values.get(name)?.length ?? 0) > 1;
  }

  /** @throws OAuthError invalid_request when any parameter is sent twice. RFC 6749 §3.1, §3.2 */
  assertUnrepeated(): void {
    for (const [name, values] of this.#values) {
      if (values.length > 1 && !REPEATABLE.has(name)) {
        throw new OAuthError('invalid_request', 'A parameter is sent more than once.', { detail: name });
      }
    }
  }

  /** Names and values as they came, for storing. */
  entries(): readonly (readonly [string, string])[] {
    return [...this.#values].flatMap(([name, values]) => values.map((value) => [name, value] as const));
  }
}

/**
 * Parses `application/x-www-form-urlencoded` text.
 *
 * @throws OAuthError invalid_request for malformed percent-encoding, bytes that are not UTF-8, NUL, characters that change the
 * direction of text, or too many pairs; none of these may be carried by a redirect, because the redirect URI itself can't be read
 */
export function parseParameters(encoded: string): Parameters {
  const pairs = encoded === '' ? [] : encoded.split('&').filter((pair) => pair !== '');
  if (pairs.length > MAX_PAIRS) throw malformed(`${pairs.length} parameters`);
  return parametersOf(pairs.map((pair) => (PLAIN.test(pair) ? splitPair(pair) : parsePair(pair))));
}

/** Parameters from names and values, for requests that were stored. */
export function parametersOf(entries: Iterable<readonly [string, string]>): Parameters {
  const values = new Map<string, string[]>();
  for (const [name, value] of entries) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return new Parameters(values);
}

/** Stands for itself and has no character to be wary of, as most pairs of a request for tokens do: visible ASCII without `%` and `+`. */
const PLAIN = /^[!-$&-*,-~]*$/;

function splitPair(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=');
  return equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
}

function parsePair(pair: string): readonly [string, string] {
  const [encodedName, encodedValue] = splitPair(pair);
  const name = decode(encodedName, 'token');
  return [name, decode(encodedValue, PASSWORDS.has(name) ? 'opaque' : 'token')];
}

/** Most texts of a form are what they stand for: names, tokens, identifiers. */
const ENCODED = /[%+]/;

/** decodeURIComponent rejects malformed escapes and invalid UTF-8. */
function decode(text: string, kind: TextKind): string {
  let decoded: string;
  try {
    decoded = ENCODED.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
  } catch (error) {
    throw malformed('percent-encoding', error);
  }
  const problem = characterProblem(decoded, kind);
  if (problem !== undefined) throw malformed(`a text ${problem}`);
  return decoded;
}

function malformed(detail: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_request', 'The parameters are not well-formed.', {
    detail,
    cause,
    redirect: false,
  });
}
