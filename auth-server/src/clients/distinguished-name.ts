/** One attribute of a name: its type by the short name that OpenSSL has for it, in capitals, or by its number; and its value. */
interface Attribute {
  readonly type: string;
  readonly value: string;
}

/** A name as its relative names, the most general first; mostly each has one attribute. RFC 5280 §4.1.2.4 */
export type DistinguishedName = readonly (readonly Attribute[])[];

/** Types that have other names in registrations than OpenSSL writes: numbers, and what RFC 4519 and others call them. */
const TYPE_NAMES: Readonly<Record<string, string>> = Object.freeze({
  '2.5.4.3': 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.5': 'SERIALNUMBER',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.12': 'TITLE',
  '2.5.4.42': 'GN',
  '2.5.4.97': 'ORGANIZATIONIDENTIFIER',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'EMAILADDRESS',
  S: 'ST',
  E: 'EMAILADDRESS',
  GIVENNAME: 'GN',
  SURNAME: 'SN',
});

/**
 * Reads a name as RFC 4514 writes it, the most special part first: `CN=client,O=Example\, Inc.,C=DE`.
 *
 * @returns undefined for what is none
 */
export function parseDistinguishedName(text: string): DistinguishedName | undefined {
  return allOf(splitAt(text, ',').map(parseRelativeName))?.toReversed();
}

function parseRelativeName(text: string): readonly Attribute[] | undefined {
  return allOf(splitAt(text, '+').map(parseAttribute));
}

function allOf<Part>(parts: readonly (Part | undefined)[]): readonly Part[] | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === parts.length ? known : undefined;
}

/** Reads the subject of a certificate as Node.js writes it: a relative name a line, the most general first, escaped as in RFC 2253. */
export function readSubject(subject: string): DistinguishedName {
  return subject
    .split('\n')
    .map((line) => splitAt(line, '+').map((part) => parseAttribute(part) ?? { type: '', value: part }));
}

/**
 * Whether two names are the same: the same relative names in the same order, and equal values, character by character. RFC 4517
 * would ignore case and some blanks, too, and nothing that issuers distinguish should count as one.
 */
export function sameName(left: DistinguishedName, right: DistinguishedName): boolean {
  return textOf(left) === textOf(right);
}

function textOf(name: DistinguishedName): string {
  return JSON.stringify(name.map((part) => part.map(({ type, value }) => [type, value]).toSorted(byType)));
}

function byType([left = '']: readonly string[], [right = '']: readonly string[]): number {
  return left < right ? -1 : Number(left > right);
}

/** At a character that is not escaped. */
function splitAt(text: string, separator: ',' | '+'): readonly string[] {
  const parts = [''];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === separator) parts.push('');
    else parts[parts.length - 1] += character === '\\' ? character + text.charAt((index += 1)) : character;
  }
  return parts;
}

function parseAttribute(text: string): Attribute | undefined {
  const [, name, rest] = /^ *([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+) *= *(.*)$/su.exec(text) ?? [];
  if (name === undefined || rest === undefined) return undefined;
  const escaped = trimEnd(rest);
  const value = escaped.startsWith('#') ? decodeString(escaped.slice(1)) : unescape(escaped);
  const type = name.toUpperCase();
  return value === undefined || value === '' ? undefined : { type: TYPE_NAMES[type] ?? type, value };
}

/** Without the blanks at its end, but for one that is escaped. */
function trimEnd(text: string): string {
  const trimmed = text.trimEnd();
  return isOpen(trimmed) && trimmed.length < text.length ? text.slice(0, trimmed.length + 1) : trimmed;
}

/** Whether a text ends in a backslash that escapes what would come. */
function isOpen(text: string): boolean {
  let backslashes = 0;
  while (text.charAt(text.length - 1 - backslashes) === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

const HEX_PAIRS = /(?:\\[0-9A-Fa-f]{2})+/g;

/** `\2C` are bytes of UTF-8, any other character after a backslash stands for itself. RFC 4514 §2.4 */
function unescape(text: string): string | undefined {
  if (isOpen(text)) return undefined;
  return text
    .replaceAll(HEX_PAIRS, (pairs) => Buffer.from(pairs.replaceAll('\\', ''), 'hex').toString('utf8'))
    .replaceAll(/\\(.)/gsu, '$1');
}

/** Tags of strings in one byte a character or UTF-8: UTF8String, PrintableString, IA5String. */
const STRING_TAGS: ReadonlySet<number | undefined> = new Set([0x0c, 0x13, 0x16]);

/** A value in BER, in hexadecimal digits, as types are written that have no name. RFC 4514 §2.4 */
function decodeString(hex: string): string | undefined {
  const bytes = Buffer.from(hex, 'hex');
  const [tag, length = 0] = bytes;
  const isString = STRING_TAGS.has(tag) && length < 128 && bytes.length === length + 2;
  return isString && bytes.length * 2 === hex.length ? bytes.subarray(2).toString('utf8') : undefined;
}
