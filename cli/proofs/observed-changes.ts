import { writeFileSync } from 'node:fs';
import type { ChangeCode } from '@trellis/composition';
import { partOfCommit, proof } from '@trellis/testkit';
import { changePairs } from '../testing/change-pairs.ts';
import type { ChangePair } from '../testing/change-pairs/change-pair.ts';
import {
  judgedRow,
  observedFile,
  readObservedChanges,
  type JudgedRow,
} from '../testing/observed-changes/observed-file.ts';
import { observeChange } from '../testing/observed-changes/observe-change.ts';
import { startTestIssuer } from '../testing/observed-changes/test-issuer.ts';

/** The small run takes every tenth change, others at each commit. */
const PARTS = { small: 10, full: 1 } as const;
/** With this, a full run writes what it has seen; without it, it compares. */
const WRITES = process.env['OBSERVED_CHANGES'] === 'write';

/** What a check says of every kind of change, beside what happens to a client of a real gateway with real versions of subgraphs. */
proof({
  name: 'observed-changes',
  isEssential: true,
  description:
    'for each kind of change, with and without recorded operations and in both orders of deployment, what a check calls safe does no harm to a real client; at most 5 % is called unsafe without harm that is seen, each with its reason; docs/observed-changes.md has what is seen',
  async run({ size, seed }) {
    const pairs = Object.entries(changePairs) as readonly [ChangeCode, ChangePair][]; // its own keys
    const { items, name } = partOfCommit(pairs, PARTS[size], seed);
    const observed = await observeAll(items);
    if (WRITES && size === 'full') writeFileSync(observedFile, `${JSON.stringify(observed, undefined, 2)}\n`);
    const known = new Map(readObservedChanges().map((change) => [change.code, JSON.stringify(change)]));
    const outdated = observed.filter((change) => known.get(change.code) !== JSON.stringify(change));
    const decisions = sum(observed.map((row) => row.decisions));
    const unsafe = listed(observed, 'falseUnsafe');
    const share = unsafe.length / decisions;
    const figures = {
      part: name,
      changes: observed.length,
      decisions,
      falseSafe: listed(observed, 'falseSafe').join('; ') || 'none',
      falseUnsafe: unsafe.join('; ') || 'none',
      falseUnsafePercent: Number((share * 100).toFixed(1)),
      unexplained: listed(observed, 'unexplained').join('; ') || 'none',
      differentFromThePage: outdated.map(({ code }) => code).join(', ') || 'none',
    };
    const isRight = figures.falseSafe === 'none' && figures.unexplained === 'none' && share <= 0.05;
    return { passed: isRight && outdated.length === 0, figures };
  },
});

async function observeAll(pairs: readonly [ChangeCode, ChangePair][]): Promise<readonly JudgedRow[]> {
  const issuer = await startTestIssuer();
  try {
    const observed: JudgedRow[] = [];
    for (const [code, pair] of pairs) observed.push(judgedRow(await observeChange(code, pair, issuer)));
    return observed;
  } finally {
    await issuer.close();
  }
}

function listed(
  rows: readonly JudgedRow[],
  list: 'falseSafe' | 'falseUnsafe' | 'unexplained',
): readonly string[] {
  return rows.flatMap((row) => row[list].map((what) => `${row.code} ${what}`));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
