import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createDpopNonces } from './nonces.ts';

it('A nonce is handed out for two minutes, taken for as long again, and then replaced', () => {
  let now = 1_800_000_000_000;
  const nonces = createDpopNonces([randomBytes(32)], true, () => now);
  const first = nonces.fresh();
  now += 119_999;
  expect(nonces.fresh()).toBe(first);
  now += 1;
  expect(nonces.fresh()).not.toBe(first);
  expect(nonces.check(first)).toBe(true);
  now += 120_000;
  expect(() => nonces.check(first)).toThrow(
    expect.objectContaining({ code: 'use_dpop_nonce', detail: 'no nonce of the last minutes' }),
  );
});
