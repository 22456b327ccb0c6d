import { readFileSync } from 'node:fs';
import { registryErrors } from '@trellis/registry';
import { expect, it } from 'vitest';

const page = readFileSync(new URL('../../../docs/operate-the-registry.md', import.meta.url), 'utf8');

it('docs/operate-the-registry.md has every error of a registry, and no other', () => {
  const named = [...page.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, code]) => code);
  expect(named).toEqual(Object.keys(registryErrors));
});
