import type { Diagnostic } from '../diagnostic.ts';
import type { Check, SubgraphDocuments } from './check.ts';
import { duplicateDefinitions } from './duplicate-definitions.ts';
import { oneOfEverywhere, oneOfFields } from './one-of-inputs.ts';
import { sharedRootFields } from './shared-root-fields.ts';

export type { Check, Finding, SubgraphDocuments } from './check.ts';

/** Every check of our own, in the order in which they run. */
export const checks: readonly Check[] = [
  duplicateDefinitions,
  oneOfFields,
  oneOfEverywhere,
  sharedRootFields,
];

/** Runs the checks of one severity over subgraphs whose schemas could be parsed. */
export function runChecks(severity: Check['severity'], subgraphs: SubgraphDocuments): readonly Diagnostic[] {
  return checks
    .filter((check) => check.severity === severity)
    .flatMap(({ code, run }) => run(subgraphs).map((finding) => ({ code, ...finding })));
}
