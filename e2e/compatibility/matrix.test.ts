import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readMatrix } from './cell.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && name !== 'matrix.test.ts')
  .map((name) => readFileSync(join(folder, name), 'utf8'));

/** Client and feature of each call of `cell`. */
const proved = sources.flatMap((source) =>
  [...source.matchAll(/\bcell\(\s*(['"])(.+?)\1,\s*'([^']+)'/g)].map(
    ([, , client, feature]) => `${client}: ${feature}`,
  ),
);

describe('docs/compatibility.md', () => {
  it('says ✓ only where a test proves it, once', () => {
    const said = readMatrix().flatMap(({ client, features }) =>
      Object.entries(features)
        .filter(([, verdict]) => verdict === true)
        .map(([feature]) => `${client}: ${feature}`),
    );
    expect(said.filter((cell) => !proved.includes(cell))).toEqual([]);
    expect(proved.filter((cell, index) => proved.indexOf(cell) !== index)).toEqual([]);
  });

  it('names requests with tests that are in their files', () => {
    const text = readFileSync(join(folder, 'requests.json'), 'utf8');
    const requests = JSON.parse(text) as readonly { readonly test: string; readonly title: string }[];
    expect(requests.length).toBeGreaterThan(10);
    for (const { test, title } of requests)
      expect(readFileSync(join(folder, '../..', test), 'utf8'), test).toContain(title);
  });

  it('rests on no test that is left out, and on no option that is set to please the gateway', () => {
    for (const source of sources) {
      expect(source).not.toMatch(/\.(skip|only|todo)\b(?!If)/);
      expect(source).not.toMatch(/preferGetMethod|apollo-require-preflight|x-apollo-operation-name'/);
    }
  });
});
