/**
 * A sequence of bytes as a string, one character (U+0000 to U+00FF) a byte. Keys, values, arguments and replies are
 * all of this kind: a `Map` finds them, `<` compares them as `memcmp` does, and V8 stores one byte for each.
 */
export type Bytes = string;

/** The UTF-8 encoding of a text. */
export function encodeText(text: string): Bytes {
  return Buffer.from(text, 'utf8').toString('latin1');
}
