import { DEFAULT_CHECK_RULES, type CheckRules } from '@trellis/composition';
import type { RunningSubgraphs } from './ask-schemas.ts';
import type { SubmittedChange } from './submit.ts';

/** What of a `checks.yaml` holds beside its approvals, as a client sends it. */
export type SentRules = Omit<CheckRules, 'approvals'>;

/** What a change is to be judged by, as a client sends it. Servers of before would drop it. */
export interface SentGuards {
  /** The schemas of subgraphs as they run. @default nothing is known of what runs */
  readonly running?: Readonly<Record<string, string>> | undefined;
  /** @default as without a `checks.yaml` */
  readonly rules?: SentRules | undefined;
}

/** The guards of a change, without those that hold anyway. */
export function sentGuards(running: RunningSubgraphs | undefined, rules?: CheckRules): SentGuards {
  const sent = rules && differingRules(rules);
  return {
    ...(running && { running: Object.fromEntries(running.schemas) }),
    ...(sent && { rules: sent }),
  };
}

/** Where a change with these guards is sent: servers that would drop them do not have the address. */
export function guardedAddress(
  usual: SubmittedChange,
  guarded: SubmittedChange,
  guards: object,
): SubmittedChange {
  return Object.keys(guards).length > 0 ? guarded : usual;
}

function differingRules({ excludedClients, usagePeriodDays, contracts }: CheckRules): SentRules | undefined {
  const isUsual =
    excludedClients.length === 0 &&
    contracts.length === 0 &&
    usagePeriodDays === DEFAULT_CHECK_RULES.usagePeriodDays;
  return isUsual ? undefined : { excludedClients, usagePeriodDays, contracts };
}
