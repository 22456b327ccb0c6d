import type { SubgraphConnections } from '../subgraphs/connections/subgraph-connections.ts';
import { amountsOf, DEFAULT_SHARES } from '@trellis/admission';
import { changeStorageShares } from '../caching/storage-shares.ts';
import { PlanningBudget, type PlanningAmount } from '../planning/threads/planning-budget.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import { Admission } from '../load/admission.ts';
import { UnreadResponses, type UnreadRules } from '../load/unread-responses.ts';
import { UnansweredBytes, type UnansweredRules } from '../load/unanswered-bytes.ts';
import type { StorageShares } from '../caching/storage-shares.ts';

/** Resources that hold rules, which a reload changes. */
interface ChangeableResources {
  readonly admission: Admission;
  readonly connections: SubgraphConnections;
  readonly unread: UnreadResponses;
  readonly unanswered: UnansweredBytes;
  readonly storageShares: StorageShares;
  readonly planningBudget: PlanningBudget | undefined;
}

/** What a caller may leave unread, the networks around it may by their part of the whole. */
export function unreadRules({ http: { unread }, timeouts }: SettingsInUse): UnreadRules {
  const [, ...ofNetworks] = amountsOf(unread.bytes, DEFAULT_SHARES.ofTotal);
  return {
    totalBytes: unread.bytes,
    perCallerBytes: [unread.callerBytes, ...ofNetworks],
    bytesPerSecond: unread.bytesPerSecond,
    stalledMs: timeouts.stalledMs,
  };
}

/** What clients may have sent that is not answered, by the same parts. */
export function unansweredRules({ http: { unanswered } }: SettingsInUse): UnansweredRules {
  const [, ...ofNetworks] = amountsOf(unanswered.bytes, DEFAULT_SHARES.ofTotal);
  return { totalBytes: unanswered.bytes, perCallerBytes: [unanswered.callerBytes, ...ofNetworks] };
}

/** How long a caller may have operations planned. */
export function planningAmount({ planning: { callerMs, windowS } }: SettingsInUse): PlanningAmount {
  return { callerMs, windowMs: windowS * 1_000 };
}

/** Has the resources keep to other settings from now on. What asks for the settings in force at each use is not among them. */
export function changeResources(resources: ChangeableResources, inUse: SettingsInUse): void {
  resources.admission.rules = inUse.admission;
  resources.connections.change(inUse.subgraphConnections);
  resources.unread.rules = unreadRules(inUse);
  resources.unanswered.rules = unansweredRules(inUse);
  changeStorageShares(resources.storageShares, inUse);
  if (resources.planningBudget) resources.planningBudget.amount = planningAmount(inUse);
}
