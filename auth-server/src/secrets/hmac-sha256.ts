import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

/**
 * HMAC-SHA-256 under one key for messages of one length, which are many: the key is padded once, and hashes of a whole text at
 * a time cost a fraction of an object of Node's that collects one. RFC 2104 §2, §4
 *
 * @param key of 64 bytes at most
 */
export function createHmacSha256(key: Buffer, messageBytes: number): (message: Buffer) => Buffer {
  if (key.length > BLOCK_BYTES) throw new TypeError('The key is longer than a block of the hash.');
  const inner = padded(key, 0x36, messageBytes);
  const outer = padded(key, 0x5c, HASH_BYTES);
  return (message) => {
    if (message.length !== messageBytes) throw new TypeError(`A message has ${messageBytes} bytes.`);
    message.copy(inner, BLOCK_BYTES);
    outer.write(hash('sha256', inner, 'binary'), BLOCK_BYTES, 'binary');
    return Buffer.from(hash('sha256', outer, 'binary'), 'binary');
  };
}

/** The key, mixed with a byte, and room behind it. */
function padded(key: Buffer, byte: number, roomBytes: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES + roomBytes);
  key.copy(block);
  for (let index = 0; index < BLOCK_BYTES; index += 1) block[index] = (block[index] ?? 0) ^ byte;
  return block;
}
