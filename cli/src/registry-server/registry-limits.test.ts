import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { registryLimits } from './registry-limits.ts';

const page = readFileSync(new URL('../../../docs/operate-the-registry.md', import.meta.url), 'utf8');
const OF = { client: 'a client', all: 'all clients' };
const COUNTED = { together: 'together', each: 'each server' };

it('docs/operate-the-registry.md has every limit of a registry server, and no other', () => {
  const [, table = ''] = /\| At most [^\n]+\n[|\- ]+\n((?:\|[^\n]+\n)*)/.exec(page) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const expected = Object.values(registryLimits).map(({ amount, what, of, counted, beyond }) => [
    `${amount.toLocaleString('en')} ${what}`,
    OF[of],
    COUNTED[counted],
    beyond,
  ]);
  expect(rows).toEqual(expected);
});
