import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasTest, type TitledTest } from '../harness/titled-test.ts';
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

/** A line of docs/gateways-beside-others.md; a heading has no feature. */
interface PeerRow {
  readonly feature?: string;
  readonly trellis?: unknown;
  readonly proofs?: readonly TitledTest[];
}

function expectTest(proof: TitledTest, what: string): void {
  expect(hasTest(proof), `${what}: ${proof.test} has a test "${proof.title}"`).toBe(true);
}

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
    const requests = JSON.parse(text) as readonly (TitledTest & { readonly request: string })[];
    expect(requests.length).toBeGreaterThan(10);
    for (const proof of requests) expectTest(proof, proof.request);
  });

  it('has tests by their titles, or a sentence, for each feature of another gateway', () => {
    const rows = JSON.parse(readFileSync(join(folder, 'peers.json'), 'utf8')) as readonly PeerRow[];
    const features = rows.filter(({ feature }) => feature !== undefined);
    expect(features.length).toBeGreaterThan(30);
    for (const { feature = '', trellis, proofs = [] } of features) {
      expect(trellis === true || typeof trellis === 'string', feature).toBe(true);
      expect(String(trellis).startsWith('✓') || trellis === true, feature).toBe(proofs.length > 0);
      for (const proof of proofs) expectTest(proof, feature);
    }
  });

  it('rests on no test that is left out, and on no option that is set to please the gateway', () => {
    for (const source of sources) {
      expect(source).not.toMatch(/\.(skip|only|todo)\b(?!If)/);
      expect(source).not.toMatch(/preferGetMethod|apollo-require-preflight|x-apollo-operation-name'/);
    }
  });
});
