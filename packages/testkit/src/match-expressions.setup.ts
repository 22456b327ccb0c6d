import { expect } from 'vitest';

// `toMatchObject({ error: /^INVALID_KEY/ })` compares the members of the expression with those of the text. It has none: each text would
// pass. Here an expression stands for the texts that it matches, wherever equality is asked for.
expect.addEqualityTesters([
  (received: unknown, expected: unknown) =>
    expected instanceof RegExp && typeof received === 'string' ? expected.test(received) : undefined,
]);
