import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changeKinds, compareGraphs, type ChangeCode, type Verdict } from '@trellis/composition';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changePairs } from '../../testing/change-pairs.ts';
import type { ChangePair, Schemas } from '../../testing/change-pairs/change-pair.ts';
import { readObservedChanges } from '../../testing/observed-changes/observed-file.ts';
import { verdictOf } from '../../testing/pair-verdicts.ts';
import { serveSchemas } from '../../testing/served-pair.ts';
import type { ServedGraph } from './served-graph.ts';

/** Found by planning, not by comparing: `prove-window.test.ts` has a test that is called after each. */
const BY_PROOF: readonly string[] = [
  'DEPLOY_FIRST',
  'PUBLISH_FIRST',
  'NOT_IN_ONE_STEP',
  'PLAN_LONGER',
  'NOT_PLANNABLE',
] satisfies readonly ChangeCode[];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'change-kinds-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function serve(schemas: Schemas, urls?: Schemas, settings?: string): Promise<ServedGraph> {
  if (settings === undefined) return serveSchemas(schemas, urls);
  const file = join(folder, 'gateway.yaml');
  await writeFile(file, settings);
  return serveSchemas(schemas, urls, file);
}

function expectedFor(code: ChangeCode, use: 'without' | 'used' | 'unused'): readonly Verdict[] {
  const { verdict, withUsage } = changeKinds[code];
  if (use === 'without' || withUsage === 'always' || withUsage === 'window') return [verdict];
  if (use === 'unused') return ['safe'];
  return withUsage === 'cost' ? ['breaking', 'dangerous', 'safe'] : [verdict];
}

const pairs = Object.entries(changePairs) as [ChangeCode, ChangePair][]; // its own keys

describe('Every kind of change is found by a check, with the verdict of its row', () => {
  it('there is a pair for each: 40 of shape and 20 of meaning at least', () => {
    const kinds = Object.keys(changeKinds).filter((code) => !BY_PROOF.includes(code));
    expect(pairs.map(([code]) => code).toSorted()).toEqual(kinds.toSorted());
    expect(pairs.length).toBeGreaterThan(80);
  });

  it('and a test of the proof of the window for each that only planning finds', async () => {
    const text = await readFile(new URL('prove-window.test.ts', import.meta.url), 'utf8');
    const titles = [...text.matchAll(/\bit\('([A-Z_]+): /g)].map(([, code]) => code);
    expect(titles).toEqual(BY_PROOF);
  });

  it('the page of observed changes has the pairs that there are, and no verdict that did harm', () => {
    const rows = readObservedChanges();
    expect(rows.map(({ code }) => code)).toEqual(pairs.map(([code]) => code));
    expect(rows.flatMap(({ falseSafe, unexplained }) => [...falseSafe, ...unexplained])).toEqual([]);
    const decisions = rows.reduce((sum, row) => sum + row.decisions, 0);
    expect(rows.flatMap(({ falseUnsafe }) => falseUnsafe).length / decisions).toBeLessThan(0.05);
  });

  it.each(pairs)('%s', async (code, one) => {
    const before = await serve(one.before, one.urls?.before, one.settings?.before);
    const after = await serve(one.after, one.urls?.after, one.settings?.after);
    const changes = compareGraphs(before.comparable, after.comparable);
    const key = `${code} ${one.coordinate}`;
    expect(changes.map((change) => `${change.code} ${change.coordinate}`)).toContain(key);
    expect(compareGraphs(before.comparable, before.comparable)).toEqual([]);
    const sides = { before, after };
    expect(verdictOf(sides, key)).toBe(changeKinds[code].verdict);
    for (const use of ['used', 'unused'] as const)
      if (one[use] !== undefined)
        expect([use, verdictOf(sides, key, one[use])]).toEqual([
          use,
          expect.toBeOneOf([...expectedFor(code, use)]),
        ]);
  });
});
