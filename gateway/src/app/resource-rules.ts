import type { SubgraphConnections } from '../subgraphs/connections/subgraph-connections.ts';
import { amountsOf, DEFAULT_SHARES } from '@trellis/runtime/admission';
import { changeStorageShares } from '../caching/storage-shares.ts';
import { PlanningBudget, type PlanningAmount } from '../planning/threads/planning-budget.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import { Admission } from '../load/admission.ts';
import { UnreadResponses, type UnreadRules } from '../load/unread-responses.ts';
import { InFlightBytes, type InFlightRules } from '../load/in-flight-bytes.ts';
import type { RegistryInForce } from './registry-in-force.ts';
import type { UsageInForce } from './usage-in-force.ts';
import type { StorageShares } from '../caching/storage-shares.ts';

/** Resources that hold rules, which a reload changes. */
interface ChangeableResources {
  readonly admission: Admission;
  readonly connections: SubgraphConnections;
  readonly unread: UnreadResponses;
  readonly inFlight: InFlightBytes;
  readonly storageShares: StorageShares;
  readonly planningBudget: PlanningBudget | undefined;
  readonly usage: UsageInForce;
  readonly registry: RegistryInForce | undefined;
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
export function inFlightRules({ http: { inFlight } }: SettingsInUse): InFlightRules {
  const [, ...ofNetworks] = amountsOf(inFlight.bytes, DEFAULT_SHARES.ofTotal);
  return { totalBytes: inFlight.bytes, perCallerBytes: [inFlight.callerBytes, ...ofNetworks] };
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
  resources.inFlight.rules = inFlightRules(inUse);
  changeStorageShares(resources.storageShares, inUse);
  resources.usage.change(inUse);
  resources.registry?.change(inUse);
  if (resources.planningBudget) resources.planningBudget.amount = planningAmount(inUse);
}
