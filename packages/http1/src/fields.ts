/** A token in lower case, as a part of a regular expression. RFC 9110 §5.6.2 */
export const TOKEN = "[a-z0-9!#$%&'*+.^_`|~-]+";

/** The value of a field in printable ASCII and tabs: what a field that we write may hold. RFC 9110 §5.5 */
export const ASCII_VALUE: RegExp = /^[\t\x20-\x7e]*$/;

const NAME = new RegExp(`^${TOKEN}$`);
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const MEDIA_TYPE = new RegExp(
  String.raw`^${TOKEN}/${TOKEN}(?:[ \t]*;[ \t]*${TOKEN}=(?:${TOKEN}|"[\t !#-[\]-~]*"))*$`,
  'i',
);
const LINES = new RegExp(String.raw`^(?:\r\n${TOKEN}:[\t\x20-\x7e\x80-\xff]*)*$`, 'i');

/**
 * Fields that are about one connection, and not about the message. No one passes them on.
 *
 * @see RFC 9110 §7.6.1, §11.7; RFC 9112 §9; RFC 7540 §3.2.1
 */
export const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Fields that only who writes the message knows: where it goes, where it ends, whether it waits.
 *
 * @see RFC 9112 §3.2, §6; RFC 9110 §10.1.1
 */
export const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['content-length', 'expect', 'host']);

/** Whether a text is the name of a field, in lower case. RFC 9110 §5.1 */
export function isFieldName(text: string): boolean {
  return NAME.test(text);
}

/** Whether a text may be the value of a field: it ends no line and holds only what one byte is. RFC 9110 §5.5 */
export function isFieldValue(text: string): boolean {
  return !NOT_IN_A_VALUE.test(text);
}

/** Whether a text may be one of the scopes of a challenge or a token. RFC 6749 §3.3, RFC 6750 §3 */
export function isScopeToken(text: string): boolean {
  return SCOPE_TOKEN.test(text);
}

/** Whether a text is nothing but lines of fields, each with the line break before it. RFC 9112 §5 */
export function areFieldLines(text: string): boolean {
  return LINES.test(text);
}

/** Whether a text is a media type with its parameters, none of which escapes a character. RFC 9110 §8.3.1 */
export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text);
}

/** One of the values that a client accepts. */
export interface Preference {
  /** In lower case: `text/html`, `text/*`, `de-at`, `gzip`, `*`. */
  readonly value: string;
  /** Names and values in lower case, without quotes. The quality is one of them. */
  readonly parameters: ReadonlyMap<string, string>;
  /** How much it is wanted: above 0, and 1 at most. */
  readonly quality: number;
}

/**
 * Reads a field that says what a client accepts: `Accept`, `Accept-Language`, `Accept-Encoding`. A value with a quality of 0, or one
 * that is no number, is not accepted. A comma separates values wherever it stands.
 *
 * @param maxValues what comes after so many is not read. Default: all are
 * @returns the most wanted first; of equals, in the order of the field
 * @see RFC 9110 §12.4.2, §12.5
 */
export function readPreferences(field: string, maxValues?: number): readonly Preference[] {
  return readValues(field, maxValues)
    .filter(({ quality }) => quality > 0)
    .toSorted((left, right) => right.quality - left.quality);
}

/**
 * Chooses what a client wants most; `*` stands for all that the field does not name.
 *
 * @param supported in lower case; of equals, the first is chosen
 * @returns undefined where the client accepts none of them
 * @see RFC 9110 §12.5.3, §12.5.4
 */
export function choosePreferred<Value extends string>(
  field: string,
  supported: readonly Value[],
): Value | undefined {
  const qualities = new Map<string, number>();
  for (const { value, quality } of readValues(field))
    qualities.set(value, Math.max(quality, qualities.get(value) ?? 0));
  const qualityOf = (value: string): number => qualities.get(value) ?? qualities.get('*') ?? 0;
  const [best] = supported
    .filter((value) => qualityOf(value) > 0)
    .toSorted((left, right) => qualityOf(right) - qualityOf(left));
  return best;
}

function readValues(field: string, maxValues?: number): readonly Preference[] {
  return field
    .split(',', maxValues)
    .map(readValue)
    .filter(({ value }) => value !== '');
}

function readValue(text: string): Preference {
  const [value = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  const parameters = new Map(rest.map(readParameter));
  const quality = Math.min(Number(parameters.get('q') ?? 1), 1);
  return { value, parameters, quality: quality > 0 ? quality : 0 };
}

function readParameter(text: string): [string, string] {
  const [name = '', ...value] = text.split('=');
  return [name.trim(), value.join('=').trim().replaceAll('"', '')];
}
