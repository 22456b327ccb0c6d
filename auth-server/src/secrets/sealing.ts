import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Seals texts that leave this server for a store or a browser, so that no one reads them there, changes them, writes
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
  /** The same, with what it was sealed under. */
  unseal(sealed: string, place: string): Unsealed | undefined;
}

/** A text that was sealed. */
export interface Unsealed {
  readonly text: string;
  /** Sealed under another key than the newest one. */
  readonly isOutdated: boolean;
}

/** Bytes of the nonce: random ones never meet, however many texts a key seals. Its halves have a task each: */
const NONCE_BYTES = 24;
/** … the first selects a key of AES-GCM that is derived, … */
const SELECTOR_BYTES = 12;
/** … so much in base64url, … */
const SELECTOR_LENGTH = 16;
/** … and the second is the nonce under that key, of which NIST allows 2^32 random ones. */
const TEXTS_PER_SELECTOR = 2 ** 20;
const TAG_BYTES = 16;
/** Of nonces at once. */
const DRAWN_BYTES = 4_096;
/** Derived keys that are remembered: those of other instances, and of times past. */
const MAX_DERIVED = 1_000;

/**
 * Sealing with XAES-256-GCM: AES-256-GCM under derived keys, so that random nonces are safe beyond the 2^32 texts that GCM
 * alone allows for a key. A sealer stays with one derived key for many texts, and remembers those that have opened one.
 *
 * @param keys of 32 bytes, each derived for one purpose with `deriveKeys`; the first seals, all of them open
 * @param random makes unguessable bytes, others each time
 * @see NIST SP 800-38D §8.3, https://c2sp.org/XAES-256-GCM
 */
export function createSealer(
  keys: readonly Buffer[],
  random: (bytes: number) => Buffer = drawAhead(),
): Sealer {
  const [first, ...older] = keys.map((key) => ({ key, mask: cmacMaskOf(key), derived: new Map() }));
  if (first === undefined) throw new TypeError('Sealing needs a key.');
  const all: readonly SealingKey[] = [first, ...older];
  const nextKey = selectKeys(first, random);
  const unseal: Sealer['unseal'] = (sealed, place) => {
    const bytes = Buffer.from(sealed, 'base64url');
    // Each text has one spelling, so that a sealed text may serve as a name.
    if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined;
    for (const key of all) {
      const text = openWith(key, sealed, bytes, place);
      if (text !== undefined) return { text, isOutdated: key !== first };
    }
    return undefined;
  };
  return {
    unseal,
    open: (sealed, place) => unseal(sealed, place)?.text,
    seal: (text, place) => {
      const { selector, key } = nextKey();
      const nonce = random(NONCE_BYTES - SELECTOR_BYTES);
      const [encrypted, tag] = encrypt(key, nonce, text, place);
      return Buffer.concat([selector, nonce, encrypted, tag]).toString('base64url');
    },
  };
}

/** Random bytes that are drawn at once and go out in pieces, each once: drawing costs as much for a nonce as for hundreds. */
function drawAhead(): (bytes: number) => Buffer {
  let drawn = Buffer.alloc(0);
  let from = 0;
  return (bytes) => {
    if (from + bytes > drawn.length) {
      drawn = randomBytes(DRAWN_BYTES); // not the same memory again: pieces of it live on
      from = 0;
    }
    from += bytes;
    return drawn.subarray(from - bytes, from);
  };
}

/** A key, what CMAC makes of it, and keys that were derived from it, by their selectors in base64url. */
interface SealingKey {
  readonly key: Buffer;
  readonly mask: Buffer;
  readonly derived: Map<string, Buffer>;
}

interface SelectedKey {
  readonly selector: Buffer;
  readonly key: Buffer;
}

/** A key for the next text: mostly the same as for the one before. */
function selectKeys(root: SealingKey, random: (bytes: number) => Buffer): () => SelectedKey {
  let selected: SelectedKey | undefined;
  let left = 0;
  return () => {
    if (selected === undefined || left === 0) {
      const selector = random(SELECTOR_BYTES);
      selected = { selector, key: deriveKey(root, selector) };
      left = TEXTS_PER_SELECTOR;
    }
    left -= 1;
    return selected;
  };
}

/** @param bytes what `sealed` spells */
function openWith(root: SealingKey, sealed: string, bytes: Buffer, place: string): string | undefined {
  const selector = sealed.slice(0, SELECTOR_LENGTH);
  const known = root.derived.get(selector);
  const key = known ?? deriveKey(root, bytes.subarray(0, SELECTOR_BYTES));
  const text = decrypt(key, bytes, place);
  // Only for what has opened: made-up texts do not fill the memory.
  if (text !== undefined && known === undefined) remember(root.derived, selector, key);
  return text;
}

function remember(derived: Map<string, Buffer>, selector: string, key: Buffer): void {
  const [oldest] = derived.keys();
  if (derived.size >= MAX_DERIVED && oldest !== undefined) derived.delete(oldest);
  derived.set(selector, key);
}

/** @returns the cipher text and its tag */
function encrypt(key: Buffer, nonce: Buffer, text: string, place: string): readonly [Buffer, Buffer] {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
  const encrypted = cipher.update(text, 'utf8');
  cipher.final(); // has nothing to add
  return [encrypted, cipher.getAuthTag()];
}

function decrypt(key: Buffer, sealed: Buffer, place: string): string | undefined {
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(SELECTOR_BYTES, NONCE_BYTES));
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(end));
  const text = decipher.update(sealed.subarray(NONCE_BYTES, end));
  try {
    decipher.final(); // has nothing to add
    return text.toString();
  } catch {
    return undefined; // the tag is wrong: the only reason for which `final` throws
  }
}

/** CMAC as a key derivation function over the first half of the nonce. NIST SP 800-108 §4.1 */
function deriveKey({ key, mask }: SealingKey, selector: Buffer): Buffer {
  const blocks = Buffer.alloc(32);
  for (const counter of [1, 2]) {
    const block = blocks.subarray((counter - 1) * 16, counter * 16);
    block.set([0, counter, 0x58, 0]);
    selector.copy(block, 4);
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
