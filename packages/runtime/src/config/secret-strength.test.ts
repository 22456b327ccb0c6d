import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { weaknessOf } from './secret-strength.ts';

describe('H3: secrets with little entropy are rejected', () => {
  test.each([
    'a'.repeat(32),
    'a'.repeat(500),
    'ab'.repeat(32),
    'abc123'.repeat(10),
    'passwordpasswordpasswordpassword',
    'PasswordPassword1!PasswordPassword1!',
    'changeme-changeme-changeme-changeme',
    'changeme-please-change-me-please-secret',
    'for development only: not a secret at all',
    'change-this-to-43-random-characters-of-your-own',
    'correct horse battery staple correct horse battery staple',
    'abcdefghijklmnopqrstuvwxyz0123456789',
    'zyxwvutsrqponmlkjihgfedcba9876543210',
    'qwertyuiopasdfghjklzxcvbnm1234567890',
    'trellis-production-cookie-secret-key',
    '01'.repeat(32),
    '0'.repeat(64),
  ])('%s', (secret) => {
    expect(weaknessOf(secret)).toMatch(/^must be random/);
  });
});

describe('M5: secrets under 128 bits are rejected', () => {
  test.each([
    '',
    'x',
    's3cret',
    'k9$Zq',
    randomBytes(15).toString('base64url'),
    randomBytes(15).toString('hex'),
  ])('%s', (secret) => {
    expect(weaknessOf(secret)).toMatch(/^must have at least 128 bits/);
  });
});

const FEWER_KINDS = /^(?:[0-9]*|[a-f]*|[0-9a-z]*[g-z][0-9a-z]*|[0-9A-Z]*[G-Z][0-9A-Z]*)$/;

test('random secrets of 128 bits and more are accepted, however they are spelled', () => {
  for (let run = 0; run < 400; run += 1) {
    for (const bytes of [16, 24, 32, 64]) {
      const random = randomBytes(bytes);
      for (const spelling of ['base64url', 'base64', 'hex'] as const) {
        const secret = random.toString(spelling);
        // By chance a text has fewer kinds of characters than its spelling, and counts as one of a smaller alphabet.
        if (!FEWER_KINDS.test(secret)) expect(weaknessOf(secret), secret).toBeUndefined();
      }
      expect(weaknessOf(random.toString('hex').toUpperCase())).toBeUndefined();
    }
  }
});
