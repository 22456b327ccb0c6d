import { hash } from '@node-rs/argon2';
import type { QueueCaller } from '@trellis/admission';
import { beforeAll, describe, expect, it } from 'vitest';
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
    const made = await hasher.hash(composed);
    expect(await hasher.verify(made, decomposed, caller)).toBe(true);
    expect(await hasher.verify(await hasher.hash(decomposed), composed, caller)).toBe(true);
    expect(await hasher.verify(made, 'cafe au lait sucre', caller)).toBe(false);
  });

  it('that was hashed as it was typed is still taken as it was typed', async () => {
    expect(await hasher.verify(await hash(decomposed), decomposed, caller)).toBe(true);
  });
});
