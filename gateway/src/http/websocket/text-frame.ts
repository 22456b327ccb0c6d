/** FIN and the opcode of text. */
const WHOLE_TEXT = 0x81;
/** Lengths up to here stand in the second byte; up to the other, in two bytes after it; beyond, in eight. */
const MAX_SHORT = 125;
const MAX_MEDIUM = 0xffff;

/**
 * A message of text as a server writes it to the connection: one frame, not masked.
 *
 * @param parts the text in UTF-8
 * @see RFC 6455 §5.2
 */
export function textFrame(...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  let end = length <= MAX_SHORT ? 2 : length <= MAX_MEDIUM ? 4 : 10;
  const frame = Buffer.allocUnsafe(end + length);
  frame[0] = WHOLE_TEXT;
  if (length <= MAX_SHORT) frame[1] = length;
  else if (length <= MAX_MEDIUM) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  for (const part of parts) end += part.copy(frame, end);
  return frame;
}
