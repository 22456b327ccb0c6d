import { isLetIn, namesOfCaller } from '../changes/caller-terms.ts';
import type { ChangeKind, Verdict } from '../changes/change-kind.ts';
import { changeKinds } from '../changes/change-kinds.ts';
import type { Change } from '../changes/change.ts';
import type { RecordedOperation } from '../operations/recorded-operation.ts';
import type { Usage, UsedOperation } from '../operations/usage.ts';

/** What an operation costs before and after, with the largest values that were recorded. */
export interface OperationCosts {
  readonly before: number;
  readonly after: number;
  /** `limits.cost` after; `Infinity` where it is off. */
  readonly maximum: number;
  /** `limits.cost` before. @default as after */
  readonly maximumBefore?: number;
  /** The limit that rejects it after, and did not before. */
  readonly rejectedBy?: string | undefined;
  /** Whether values of variables that decide it were recorded. */
  readonly isExact: boolean;
}

/** What a verdict is made of beside the change. */
export interface Evidence {
  /** Absent: nothing was recorded. */
  readonly usage?: Usage | undefined;
  /** Measures an operation; undefined where it can't be measured. */
  readonly costsOf?: ((operation: RecordedOperation) => OperationCosts | undefined) | undefined;
  /** Whether the order of deployment was proved: what fails in between is a change of its own. */
  readonly isWindowProved: boolean;
}

/** A change with its verdict, and the operations for which it matters. */
export interface JudgedChange extends Change {
  readonly verdict: Verdict;
  readonly operations: readonly UsedOperation[];
}

/** From the worst. */
const SEVERITY: readonly Verdict[] = ['breaking', 'unknown', 'dangerous', 'safe'];
/** Of a limit: costs beyond it are dangerous. */
const NEAR_LIMIT = 0.8;
const MUCH_MORE = 2;

/** Judges a change by its kind, and by the operations in use. */
export function judgeChange(change: Change, evidence: Evidence): JudgedChange {
  const kind = changeKinds[change.code];
  if (kind.withUsage === 'window')
    return { ...change, operations: [], verdict: evidence.isWindowProved ? 'safe' : kind.verdict };
  const { usage } = evidence;
  if (!usage || kind.verdict === 'safe') return { ...change, verdict: kind.verdict, operations: [] };
  const concerned = concernedBy(change, usage).map((operation) => ({
    operation,
    verdict: judgeOperation({ change, kind, operation }, usage, evidence),
  }));
  return { ...change, ...combine(kind, concerned, usage) };
}

function concernedBy(change: Change, usage: Usage): readonly UsedOperation[] {
  const isOfAll = change.code === 'LIMIT_LOWERED';
  return isOfAll
    ? usage.operations
    : usage.using([...change.uses, ...(change.input === undefined ? [] : [change.input])]);
}

interface Concerned {
  readonly operation: UsedOperation;
  readonly verdict: Verdict;
}

function combine(
  kind: ChangeKind,
  concerned: readonly Concerned[],
  { isComplete }: Usage,
): Pick<JudgedChange, 'verdict' | 'operations'> {
  const operations = concerned.filter(({ verdict }) => verdict !== 'safe').map(({ operation }) => operation);
  if (kind.withUsage === 'always') return { verdict: kind.verdict, operations };
  const unused: Verdict = isComplete || kind.verdict !== 'breaking' ? 'safe' : 'unknown';
  const verdicts = new Set<Verdict>([unused, ...concerned.map(({ verdict }) => verdict)]);
  return { verdict: SEVERITY.find((verdict) => verdicts.has(verdict)) ?? 'safe', operations };
}

interface Case {
  readonly change: Change;
  readonly kind: ChangeKind;
  readonly operation: UsedOperation;
}

function judgeOperation(one: Case, usage: Usage, evidence: Evidence): Verdict {
  const { kind } = one;
  // Whether an operation is valid for a contract's clients is not asked: they are not recorded apart.
  if (one.change.contract !== undefined) return judgeUse(one);
  switch (kind.withUsage) {
    case 'used':
      return judgeUse(one);
    case 'invalid':
      return judgeValidity(one, usage);
    case 'rights':
      return judgeRights(one);
    case 'cost':
      return judgeCost(evidence.costsOf?.(one.operation.recorded));
    case 'always':
    case 'window':
      return kind.verdict;
    default:
      return kind.withUsage satisfies never;
  }
}

/** What is sent in variables is not in the text. */
function judgeUse({ change, kind, operation }: Case): Verdict {
  const { uses, recorded } = operation;
  const isNamed = change.uses.some(
    (coordinate) => uses.coordinates.has(coordinate) || recorded.inputs?.has(coordinate),
  );
  if (isNamed) return kind.verdict;
  const mayBeSent = change.input !== undefined && uses.sent.has(change.input);
  return mayBeSent && !recorded.inputs ? 'unknown' : 'safe';
}

/** A text that is valid after may send variables that are not. */
function judgeValidity({ change, kind, operation }: Case, usage: Usage): Verdict {
  if (usage.becomesInvalid(operation)) return kind.verdict;
  const { uses, recorded } = operation;
  if (change.input === undefined || !uses.sent.has(change.input)) return 'safe';
  if (!recorded.inputs) return 'unknown';
  return recorded.inputs.has(change.coordinate) ? 'safe' : kind.verdict;
}

function judgeRights({ change, kind, operation }: Case): Verdict {
  const { callers } = change;
  const { scopes } = operation.recorded;
  if (!callers || !scopes) return 'unknown';
  const isLost = scopes
    .map(namesOfCaller)
    .some((names) => isLetIn(names, callers.before) && !isLetIn(names, callers.after));
  return isLost ? kind.verdict : 'safe';
}

function judgeCost(costs: OperationCosts | undefined): Verdict {
  if (!costs) return 'unknown';
  const { before, after, maximum, maximumBefore = maximum, rejectedBy, isExact } = costs;
  if (rejectedBy !== undefined || (after > maximum && before <= maximumBefore)) return 'breaking';
  const isNear = after > NEAR_LIMIT * maximum && before <= NEAR_LIMIT * maximumBefore;
  if (isNear || after >= MUCH_MORE * before) return 'dangerous';
  return isExact ? 'safe' : 'unknown';
}
