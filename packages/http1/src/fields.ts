/** A token in lower case, as a part of a regular expression. RFC 9110 §5.6.2 */
export const TOKEN = "[a-z0-9!#$%&'*+.^_`|~-]+";

const NAME = new RegExp(`^${TOKEN}$`);
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
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

/** Whether a text is nothing but lines of fields, each with the line break before it. RFC 9112 §5 */
export function areFieldLines(text: string): boolean {
  return LINES.test(text);
}
