import { DEFAULT_CHECK_RULES, outcomeOf, type CheckRules, type Report } from '@trellis/composition';
import { formatLogName, RegistryError, type LogName } from '@trellis/registry';
import type { PublishedGraph } from '../registry/published-graph.ts';
import { contractsOf } from '../supergraph/contracts-of.ts';
import { judgements, type ReleaseJudge } from './judgements.ts';
import { PublicationRejected } from './publication-rejected.ts';

/** What a release that another environment serves is judged by. */
export interface PromotionChecks {
  /** @default no approvals, no excluded clients */
  readonly rules?: CheckRules | undefined;
  /** Files and folders of recorded operations. */
  readonly operations?: readonly string[] | undefined;
  /** The `gateway.yaml` in force. */
  readonly limits?: string | undefined;
  /** @default judges on the thread that calls */
  readonly judge?: ReleaseJudge | undefined;
}

/** Checks a release against what an environment serves. @returns what was found, which rejects nothing @throws PublicationRejected, RegistryError */
export async function checkPromotion(
  target: PublishedGraph,
  base: PublishedGraph,
  { rules = DEFAULT_CHECK_RULES, operations = [], limits, judge = judgements }: PromotionChecks,
  to: LogName,
): Promise<Report> {
  const name = formatLogName(to);
  const sources = new Map(target.subgraphs.map(({ source, sdl }) => [source, sdl]));
  const report = await judge.checkGraphs({
    base,
    baseName: name,
    composed: { ...target, diagnostics: [], sources },
    rules: { ...rules, contracts: contractsOf(target, rules) },
    operations,
    limits,
    limitsAgainst: undefined,
    place: name,
    now: new Date(),
  });
  if (typeof report === 'string') throw new RegistryError('INVALID_RECORD', report.trim());
  const outcome = outcomeOf(report);
  if (outcome !== 'passed') throw new PublicationRejected(outcome, report, sources);
  return report;
}
