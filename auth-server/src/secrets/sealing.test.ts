import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSealer } from './sealing.ts';

const key = randomBytes(32);
const sealer = createSealer([key]);

describe('Sealed texts', () => {
  test('are opened at their place with their key', () => {
    for (const text of ['', 'a', '{"subject":"Ædå"}', 'x'.repeat(8192)]) {
      expect(sealer.open(sealer.seal(text, 'session:{a}'), 'session:{a}')).toBe(text);
    }
  });

  test('are opened when they were sealed under a nonce whose halves have nothing to do with others', () => {
    for (let count = 0; count < 20; count += 1) {
      const other = createSealer([key]);
      expect(sealer.open(other.seal('theirs', 'here'), 'here')).toBe('theirs');
      expect(other.open(sealer.seal('ours', 'here'), 'here')).toBe('ours');
    }
  });

  test('of one sealer share the half of the nonce that selects a key, and never the other', () => {
    const nonces = Array.from({ length: 1_000 }, () =>
      Buffer.from(sealer.seal('', 'here'), 'base64url').subarray(0, 24),
    );
    const halves = (from: number): ReadonlySet<string> =>
      new Set(nonces.map((nonce) => nonce.toString('hex', from, from + 12)));
    expect(halves(0).size).toBe(1);
    expect(halves(12).size).toBe(1_000);
    const again = Buffer.from(createSealer([key]).seal('', 'here'), 'base64url');
    expect(halves(0).has(again.toString('hex', 0, 12))).toBe(false);
  });

  test('show whether they are under the newest key', () => {
    const both = createSealer([randomBytes(32), key]);
    expect(both.unseal(sealer.seal('old', 'here'), 'here')).toEqual({ text: 'old', isOutdated: true });
    expect(both.unseal(both.seal('new', 'here'), 'here')).toEqual({ text: 'new', isOutdated: false });
  });

  test('look different each time, and show nothing of the text', () => {
    const sealed = sealer.seal('the text', 'here');
    expect(sealer.seal('the text', 'here')).not.toBe(sealed);
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('text');
  });

  test('are not opened elsewhere, nor with the key of another purpose', () => {
    const sealed = sealer.seal('mine', 'session:{a}');
    expect(sealer.open(sealed, 'session:{b}')).toBeUndefined();
    expect(sealer.open(sealed, '')).toBeUndefined();
    expect(createSealer([randomBytes(32)]).open(sealed, 'session:{a}')).toBeUndefined();
  });

  test('are opened with every key of the list, and sealed with the first', () => {
    const newKey = randomBytes(32);
    const both = createSealer([newKey, key]);
    expect(both.open(sealer.seal('old', 'here'), 'here')).toBe('old');
    expect(createSealer([newKey]).open(both.seal('new', 'here'), 'here')).toBe('new');
    expect(sealer.open(both.seal('new', 'here'), 'here')).toBeUndefined();
  });

  test('are not opened when a single bit is another one', () => {
    const bytes = Buffer.from(sealer.seal('mine', 'here'), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(sealer.open(changed.toString('base64url'), 'here')).toBeUndefined();
    }
  });

  test('are not opened when they are cut, or spelled in another way', () => {
    const sealed = sealer.seal('mine', 'here');
    for (let length = 0; length < sealed.length; length += 1) {
      expect(sealer.open(sealed.slice(0, length), 'here')).toBeUndefined();
    }
    for (const other of [`${sealed}=`, `${sealed}\n`, ` ${sealed}`, `${sealed}A`, '{"subject":"x"}']) {
      expect(sealer.open(other, 'here')).toBeUndefined();
    }
  });

  test('need a key', () => {
    expect(() => createSealer([])).toThrow(TypeError);
  });
});

describe('XAES-256-GCM (C2SP)', () => {
  const nonce = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX');

  // The two test vectors of the specification: one for each value of the highest bit that CMAC shifts out.
  test.each([
    [1, '', 'ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271'],
    [3, 'c2sp.org/XAES-256-GCM', '986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d'],
  ])('key of bytes %i', (byte, place, expected) => {
    const halves = [nonce.subarray(0, 12), nonce.subarray(12)];
    const next = (): Buffer => halves.shift() ?? Buffer.alloc(0);
    const sealed = createSealer([Buffer.alloc(32, byte)], next).seal('XAES-256-GCM', place);
    expect(Buffer.from(sealed, 'base64url').toString('hex')).toBe(nonce.toString('hex') + expected);
  });
});
