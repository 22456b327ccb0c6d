import { describe, expect, it } from 'vitest';
import { isKnownScope } from './scopes.ts';

const known = ['read:data', 'graph:publish:*'];

describe('Patterns of API_SCOPES', () => {
  it.each(['read:data', 'graph:publish:posts', 'graph:publish:a-b_C9', 'graph:publish:*'])(
    'know %s',
    (scope) => {
      expect(isKnownScope(known, scope)).toBe(true);
    },
  );

  it.each([
    'graph:publish',
    'graph:publish:',
    'graph:publish:a:b',
    'graph:publish:a*',
    'graph:publish:**',
    'graph:promote:production',
    'read:dat',
    'read:*',
    `graph:publish:${'a'.repeat(65)}`,
  ])('do not know %s', (scope) => {
    expect(isKnownScope(known, scope)).toBe(false);
  });
});
