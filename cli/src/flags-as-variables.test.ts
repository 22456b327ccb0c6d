import { describe, expect, it } from 'vitest';
import { flagsAsVariables } from './flags-as-variables.ts';

describe('Flags in the place of variables', () => {
  it('are variables with the prefix, and stand for both names in messages', () => {
    const rows = [
      ['PORT', '--port', 'abc'],
      ['HOST', '--host', undefined],
    ] as const;
    expect(flagsAsVariables('GATEWAY', rows)).toEqual({
      environment: { GATEWAY_PORT: 'abc' },
      flags: { GATEWAY_PORT: '--port', PORT: '--port' },
    });
  });
});
