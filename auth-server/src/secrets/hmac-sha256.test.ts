import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createHmacSha256 } from './hmac-sha256.ts';

describe('HMAC-SHA-256 of messages of one length', () => {
  test.each([0, 1, 20, 63, 64, 200])('is what Node makes, for %i bytes', (bytes) => {
    for (const keyBytes of [0, 1, 32, 64]) {
      const key = randomBytes(keyBytes);
      const macOf = createHmacSha256(key, bytes);
      for (let count = 0; count < 20; count += 1) {
        const message = randomBytes(bytes);
        const expected = createHmac('sha256', key).update(message).digest('hex');
        expect(macOf(message).toString('hex')).toBe(expected);
      }
    }
  });

  test('takes no other length, and no key that would have to be hashed', () => {
    expect(() => createHmacSha256(randomBytes(32), 20)(randomBytes(21))).toThrow(TypeError);
    expect(() => createHmacSha256(randomBytes(65), 20)).toThrow(TypeError);
  });
});
