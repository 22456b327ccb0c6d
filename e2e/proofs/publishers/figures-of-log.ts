import { generateRecordKey, createRecordSigner, TrustedKeys, type RegistryStore } from '@trellis/registry';
import type { ProofOptions, ProofOutcome } from '@trellis/testkit';
import { problemsOfLog } from './published-log.ts';
import type { PublishersOutcome } from './killed-publishers.ts';

/** How many publish how many subgraphs, and how often one of them is killed. */
export const PUBLISHERS = { count: 20, subgraphs: 10, killEveryMs: 250 } as const;

/** For how long. */
export const FOR_MS: Readonly<Record<ProofOptions['size'], number>> = { small: 20_000, full: 90_000 };

/** A key of the proof, and the trust in it. */
export async function createProofKey(): Promise<{ readonly key: string; readonly trust: TrustedKeys }> {
  const key = JSON.stringify(await generateRecordKey());
  return { key, trust: await TrustedKeys.from([(await createRecordSigner(key)).publicKey]) };
}

/** What publishers did to a store, and what is in it now. */
export interface PublishedStore {
  readonly name: string;
  readonly store: RegistryStore;
  readonly outcome: Omit<PublishersOutcome, 'locks'> & Partial<Pick<PublishersOutcome, 'locks'>>;
}

/** Reads all that publishers have left, and says what is wrong with it. */
export async function judgeStores(
  stores: readonly PublishedStore[],
  trust: TrustedKeys,
): Promise<ProofOutcome> {
  const figures: Record<string, number | string> = {};
  let passed = true;
  for (const { name, store, outcome } of stores) {
    const { kills, acknowledged, failures, locks = 0 } = outcome;
    const { records, problems: ofLog } = await problemsOfLog(store, trust, acknowledged);
    const problems = [...whatWasNotTried(outcome), ...ofLog];
    figures[`${name} records`] = records;
    figures[`${name} kills`] = kills;
    figures[`${name} acknowledged`] = acknowledged.size;
    figures[`${name} unacknowledged`] = records - acknowledged.size;
    if (locks > 0) figures[`${name} locks removed`] = locks;
    for (const [code, count] of failures) figures[`${name} ${code}`] = count;
    for (const [index, problem] of problems.slice(0, 5).entries())
      figures[`${name} problem ${index + 1}`] = problem;
    passed &&= problems.length === 0;
  }
  return { passed, figures };
}

/** Where none was killed, or none has published, nothing could have been lost. */
function whatWasNotTried({ kills, acknowledged }: PublishedStore['outcome']): readonly string[] {
  return [
    ...(kills > 0 ? [] : ['Nothing was killed.']),
    ...(acknowledged.size > 0 ? [] : ['No publication was acknowledged.']),
  ];
}
