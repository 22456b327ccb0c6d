import { Kind } from 'graphql';
import { changeKinds } from '../changes/change-kinds.ts';
import type { Change } from '../changes/change.ts';
import type { Diagnostic, SourceLocation } from '../diagnostic.ts';
import type { CoordinateIndex } from '../locate-coordinate.ts';
import { requestsOf, type UsedOperation } from '../operations/usage.ts';
import type { ReportedChange, ReportedOperation } from '../reports/report.ts';
import { applyApprovals, approvalKey, type Approval } from './approvals.ts';
import { judgeChange, type Evidence, type JudgedChange } from './judge-change.ts';

/** What changes are reported with. */
export interface ReportingRules {
  readonly evidence: Evidence;
  readonly approvals: readonly Approval[];
  /** Of the schemas after the change. */
  readonly places: CoordinateIndex;
  /** Where a subgraph is configured: for changes that no schema has a place for. */
  readonly config: SourceLocation;
  readonly now: Date;
}

/** Changes with verdicts, and approvals without an effect. */
export interface ReportedChanges {
  readonly changes: readonly ReportedChange[];
  readonly problems: readonly Diagnostic[];
}

/** Judges changes, and applies approvals to those that need one. */
export function reportChanges(changes: readonly Change[], rules: ReportingRules): ReportedChanges {
  const judged = changes.map((change) => judgeChange(change, rules.evidence));
  const approvable = judged
    .filter(({ verdict }) => verdict !== 'safe')
    .map(({ code, coordinate }) => ({ code, coordinate, isExposure: changeKinds[code].exposure === true }));
  const { inForce, problems } = applyApprovals(rules.approvals, approvable, rules.now);
  return { changes: judged.map((change) => reported(change, inForce, rules)), problems };
}

function reported(
  change: JudgedChange,
  approvals: ReadonlyMap<string, Approval>,
  { evidence: { usage }, places, config }: ReportingRules,
): ReportedChange {
  const { code, coordinate, message, verdict, operations, contract } = change;
  const { action, exposure = false } = changeKinds[code];
  const found = places.locate(coordinate);
  const approval = verdict === 'safe' ? undefined : approvals.get(approvalKey(change));
  return {
    code,
    coordinate,
    message,
    verdict,
    action,
    exposure,
    locations: found.length > 0 ? found : [config],
    operations: operations.map(reportedOperation).toSorted((left, right) => right.requests - left.requests),
    ...(usage && usage.requests > 0 && { share: sum(operations.map(requestsOf)) / usage.requests }),
    ...(contract !== undefined && { contract }),
    ...(approval && {
      approval: { reason: approval.reason, owner: approval.owner, expires: approval.expires },
    }),
  };
}

function reportedOperation(operation: UsedOperation): ReportedOperation {
  const { recorded, clients } = operation;
  const lastUsed = clients
    .flatMap((client) => client.lastUsed ?? [])
    .toSorted()
    .at(-1);
  const name = recorded.operationName ?? nameOf(operation);
  return {
    id: recorded.id,
    ...(name !== undefined && { name }),
    requests: requestsOf(operation),
    clients: clients
      .toSorted((left, right) => right.requests - left.requests)
      .map((client) => (client.version === undefined ? client.name : `${client.name} ${client.version}`)),
    ...(lastUsed !== undefined && { lastUsed }),
  };
}

function nameOf({ document }: UsedOperation): string | undefined {
  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION) return definition.name?.value;
  return undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
