import type { AcceptedOperation, OfflineGraph } from './offline-graph.ts';
import { offlineFetchesOf, type OfflineFetch, type OfflinePlan } from './offline-plan.ts';

/** What was recorded of the variables of an operation. */
export interface RecordedVariables {
  /** The variables of `@skip` and `@include` as they were decided. Absent: every decision is looked at. */
  readonly conditions?: readonly Readonly<Record<string, boolean>>[] | undefined;
  /** The largest values of variables that size lists, by name; dots lead into input objects: `page.first`. */
  readonly slices?: readonly Readonly<Record<string, number>>[] | undefined;
}

/** An operation as it was recorded. */
export interface RecordedDocument extends RecordedVariables {
  readonly document: string;
  readonly operationName?: string | undefined;
}

/** What becomes of a recorded operation. */
export type PlannedRecord =
  | {
      readonly kind: 'planned';
      readonly fetches: readonly OfflineFetch[];
      /** The most of all decisions and overrides. */
      readonly requests: number;
      readonly depth: number;
      readonly cost: number;
    }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'unplannable'; readonly message: string };

/** Above this, not every decision of an operation's conditions is looked at. */
const MAX_CONDITIONS = 3;

/** Plans an operation with every choice of progressive overrides, and every decision of its conditions. */
export async function planRecorded(graph: OfflineGraph, operation: RecordedDocument): Promise<PlannedRecord> {
  const read = graph.read(operation.document, operation.operationName);
  const accepted = read.filter((one) => one.kind === 'accepted');
  const [first] = accepted;
  if (!first) return { kind: 'rejected' };
  try {
    const plans = await Promise.all(accepted.flatMap((one) => plansOf(one, operation)));
    return {
      kind: 'planned',
      fetches: plans.flatMap(({ step }) => offlineFetchesOf(step)),
      requests: Math.max(...plans.map(({ requests }) => requests)),
      depth: Math.max(...plans.map(({ depth }) => depth)),
      cost: costOf(first, operation),
    };
  } catch (error) {
    return { kind: 'unplannable', message: error instanceof Error ? error.message : String(error) };
  }
}

function plansOf(
  accepted: AcceptedOperation,
  { conditions }: RecordedVariables,
): readonly Promise<OfflinePlan>[] {
  return variablesOf(accepted, { conditions }).map((variables) => accepted.plan(variables));
}

/** The most that the operation costs with any values that were recorded. */
export function costOf(accepted: AcceptedOperation, operation: RecordedVariables): number {
  return Math.max(...variablesOf(accepted, operation).map((variables) => accepted.costOf(variables)));
}

/** Values of variables to read an operation with: each decision of its conditions, with each of its slices. */
export function variablesOf(
  { conditionVariables }: AcceptedOperation,
  { conditions, slices = [{}] }: RecordedVariables,
): readonly Readonly<Record<string, unknown>>[] {
  const usual = decisions(conditionVariables);
  const decided = conditions && conditions.length > 0 ? conditions : usual;
  const filled = decided.map((given) => ({ ...usual[0], ...given }));
  const sliced = slices.length === 0 ? [{}] : slices.map(nested);
  return filled.flatMap((given) => sliced.map((slice) => ({ ...slice, ...given })));
}

/** `{ 'page.first': 10 }` as the variables of a request: `{ page: { first: 10 } }`. No name of GraphQL has a dot. */
function nested(slice: Readonly<Record<string, number>>): Readonly<Record<string, unknown>> {
  const values: Members = Object.create(null) as Members;
  for (const [key, size] of Object.entries(slice)) {
    const names = key.split('.');
    const last = names.pop() ?? key;
    const parent = names.reduce(objectIn, values);
    if (!isObject(parent[last])) parent[last] = size;
  }
  return values;
}

/** What leads into an object wins over a size of its own: a variable is one or the other. */
function objectIn(above: Members, name: string): Members {
  const known = above[name];
  return isObject(known) ? known : (above[name] = Object.create(null) as Members);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

type Members = Record<string, unknown>;

function decisions(names: readonly string[]): readonly Readonly<Record<string, boolean>>[] {
  const every = (value: boolean): Record<string, boolean> =>
    Object.fromEntries(names.map((name) => [name, value]));
  if (names.length === 0) return [{}];
  if (names.length > MAX_CONDITIONS) return [every(true), every(false)];
  return names.reduce<Record<string, boolean>[]>(
    (all, name) =>
      all.flatMap((one) => [
        { ...one, [name]: true },
        { ...one, [name]: false },
      ]),
    [{}],
  );
}
