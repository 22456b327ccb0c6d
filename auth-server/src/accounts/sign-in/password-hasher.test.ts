import { hash } from '@node-rs/argon2';
import type { QueueCaller } from '@trellis/runtime/admission';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashCallerAt, hashCallerOf } from './hash-callers.ts';
import { createPasswordHasher, type PasswordHasher } from './password-hasher.ts';

const caller: QueueCaller = { keys: ['caller'], isKnown: false };
const composed = 'caf\u00e9 au lait sucr\u00e9';
const decomposed = composed.normalize('NFD');

let hasher: PasswordHasher;
beforeAll(async () => {
  hasher = await createPasswordHasher(2);
});

describe('M9: a password with é in it', () => {
  it('is one password, however the keyboard composes it', async () => {
    const made = await hasher.hash(composed, caller);
    expect(await hasher.verify(made, decomposed, caller)).toBe(true);
    expect(await hasher.verify(await hasher.hash(decomposed, caller), composed, caller)).toBe(true);
    expect(await hasher.verify(made, 'cafe au lait sucre', caller)).toBe(false);
  });

  it('that was hashed as it was typed is still taken as it was typed', async () => {
    expect(await hasher.verify(await hash(decomposed), decomposed, caller)).toBe(true);
  });
});

describe('M7: the hashing of chosen passwords', () => {
  it.each([
    ['an account', hashCallerOf('ada'), hashCallerOf('bob'), 'of this account'],
    ['a network', hashCallerAt('198.51.100.7', true), hashCallerAt('203.0.113.1', true), 'from this network'],
  ])('is had by others while 60 of %s wait, which alone is rejected', async (_who, one, another, whose) => {
    const busy = await createPasswordHasher(1);
    const waiting = Array.from({ length: 60 }, () => busy.hash(composed, one));
    const all = Promise.allSettled(waiting);
    await expect(busy.hash(composed, another)).resolves.toMatch(/^\$argon2id\$/);
    await expect(waiting.at(-1)).rejects.toMatchObject({
      code: 'too_many_requests',
      message: `Too many passwords ${whose} are being checked. Try again in 5 s.`,
    });
    await all;
  });
});
