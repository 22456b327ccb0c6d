import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Seals texts that leave this server for a store or a browser, so that nobody reads them there, changes them, writes
 * others or moves them to another place.
 */
export interface Sealer {
  /**
   * @param place where the text will be found, such as its key in Redis or the browser that carries it; it is not part of
   *   the result, and the same is needed to open it
   * @returns base64url, 4/3 of the text's bytes and 54 characters more
   */
  seal(text: string, place: string): string;
  /** @returns undefined for what was not sealed under one of the keys, or for another place */
  open(sealed: string, place: string): string | undefined;
}

/** Bytes of the nonce: random ones never meet, however many texts a key seals. */
const NONCE_BYTES = 24;
const TAG_BYTES = 16;

/**
 * Sealing with XAES-256-GCM: AES-256-GCM under a key of its own for each text, so that random nonces are safe beyond the
 * 2^32 texts that GCM alone allows for a key.
 *
 * @param keys of 32 bytes, each derived for one purpose with `deriveKeys`; the first seals, all of them open
 * @param randomNonce makes unguessable bytes, others each time
 * @see NIST SP 800-38D, https://c2sp.org/XAES-256-GCM
 */
export function createSealer(
  keys: readonly Buffer[],
  randomNonce: (bytes: number) => Buffer = randomBytes,
): Sealer {
  const [first, ...older] = keys.map((key) => ({ key, mask: cmacMaskOf(key) }));
  if (first === undefined) throw new TypeError('Sealing needs a key.');
  const all = [first, ...older];
  return {
    seal: (text, place) => {
      const nonce = randomNonce(NONCE_BYTES);
      return Buffer.concat([nonce, encrypt(first, nonce, Buffer.from(text), place)]).toString('base64url');
    },
    open: (sealed, place) => {
      const bytes = Buffer.from(sealed, 'base64url');
      // Each text has one spelling, so that a sealed text may serve as a name.
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined;
      for (const key of all) {
        const text = decrypt(key, bytes, place);
        if (text !== undefined) return text;
      }
      return undefined;
    },
  };
}

/** A key, and what CMAC makes of it. */
interface SealingKey {
  readonly key: Buffer;
  readonly mask: Buffer;
}

/** @returns the cipher text and its tag */
function encrypt(key: SealingKey, nonce: Buffer, text: Buffer, place: string): Buffer {
  const cipher = createCipheriv('aes-256-gcm', keyOfText(key, nonce), nonce.subarray(12));
  cipher.setAAD(Buffer.from(place));
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: SealingKey, sealed: Buffer, place: string): string | undefined {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', keyOfText(key, nonce), nonce.subarray(12));
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(end));
  const text = decipher.update(sealed.subarray(NONCE_BYTES, end));
  try {
    return Buffer.concat([text, decipher.final()]).toString();
  } catch {
    return undefined; // the tag is wrong: the only reason for which `final` throws
  }
}

/** The key of one text: CMAC as a key derivation function over the first half of the nonce. NIST SP 800-108 §4.1 */
function keyOfText({ key, mask }: SealingKey, nonce: Buffer): Buffer {
  const blocks = Buffer.alloc(32);
  for (const counter of [1, 2]) {
    const block = blocks.subarray((counter - 1) * 16, counter * 16);
    block.set([0, counter, 0x58, 0]);
    nonce.copy(block, 4, 0, 12);
    for (let index = 0; index < 16; index += 1) block[index] = (block[index] ?? 0) ^ (mask[index] ?? 0);
  }
  return encryptBlocks(key, blocks);
}

/** The subkey K1 of CMAC: an encrypted block of zeros, doubled in GF(2^128). NIST SP 800-38B §6.1 */
function cmacMaskOf(key: Buffer): Buffer {
  const zero = encryptBlocks(key, Buffer.alloc(16));
  const mask = Buffer.alloc(16);
  for (let index = 0; index < 16; index += 1) {
    mask[index] = (((zero[index] ?? 0) << 1) & 0xff) | ((zero[index + 1] ?? 0) >> 7);
  }
  if ((zero[0] ?? 0) & 0x80) mask[15] = (mask[15] ?? 0) ^ 0x87;
  return mask;
}

function encryptBlocks(key: Buffer, blocks: Buffer): Buffer {
  return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(blocks);
}
