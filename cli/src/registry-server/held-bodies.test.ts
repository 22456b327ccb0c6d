import { describe, expect, it } from 'vitest';
import { HeldBodies } from './held-bodies.ts';

describe('Bodies of changes', () => {
  it('are bounded for each client and in all, until they were used or their connection has ended', async () => {
    const limits = new HeldBodies({ bytesOfClient: 100, bytesOfAll: 150 });
    const status = (client: string, length: string | undefined): unknown => {
      try {
        limits.hold(client, length).close();
        return 'taken';
      } catch (error) {
        return (error as { readonly statusCode?: unknown }).statusCode;
      }
    };
    const first = limits.hold('one', '80');
    expect([status('one', '20'), status('one', '21'), status('one', undefined)]).toEqual(['taken', 429, 429]);
    expect([status('two', '70'), status('two', '71')]).toEqual(['taken', 429]);
    expect([status('two', '99999999'), status('two', 'many')]).toEqual([413, 413]);
    await first.use(async () => {
      first.close();
      expect(status('one', '21')).toBe(429);
    });
    expect([status('one', '100'), status('two', '100')]).toEqual(['taken', 'taken']);
  });
});
