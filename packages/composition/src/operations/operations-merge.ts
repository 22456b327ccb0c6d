import type { Diagnostic } from '../diagnostic.ts';
import { mergeClients } from './merge-clients.ts';
import type { RecordedOperation, RecordedOperations } from './recorded-operation.ts';

/** Rows of sizes of one operation; with more, one row has the largest of all. */
const MAX_SLICES = 8;

/** Adds up what several files, processes and windows say, as it is read: one entry for each operation. */
export class OperationsMerge {
  #isComplete = true;
  readonly #problems: Diagnostic[] = [];
  readonly #byId = new Map<string, RecordedOperation>();

  add({ operations, isComplete, problems = [] }: RecordedOperations): void {
    this.#isComplete &&= isComplete;
    this.#problems.push(...problems);
    for (const operation of operations) {
      const known = this.#byId.get(operation.id);
      this.#byId.set(operation.id, known ? merge(known, operation) : operation);
    }
  }

  get result(): RecordedOperations {
    const [operations, problems] = [[...this.#byId.values()], [...this.#problems]];
    return { operations, isComplete: this.#isComplete, ...(problems.length > 0 && { problems }) };
  }
}

/** What one of them has not recorded is not known of both. */
function merge(left: RecordedOperation, right: RecordedOperation): RecordedOperation {
  const { inputs, slices, conditions, scopes } = left;
  return {
    ...left,
    clients: mergeClients([...left.clients, ...right.clients]),
    inputs: inputs && right.inputs && union(inputs, right.inputs),
    slices: slices && right.slices && fewSlices(distinct([...slices, ...right.slices])),
    conditions: conditions && right.conditions && distinct([...conditions, ...right.conditions]),
    scopes: scopes && right.scopes && distinct([...scopes, ...right.scopes]),
  };
}

/** Mostly both say the same. */
function union(left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> {
  return [...right].every((value) => left.has(value)) ? left : new Set([...left, ...right]);
}

type Slice = Readonly<Record<string, number>>;

/** Rows that name the same variables become one with the largest values. */
function fewSlices(slices: readonly Slice[]): readonly Slice[] {
  if (slices.length <= MAX_SLICES) return slices;
  const byNames = new Map<string, Slice>();
  for (const slice of slices) {
    const names = Object.keys(slice).toSorted().join();
    const known = byNames.get(names);
    byNames.set(names, known ? largestOf(known, slice) : slice);
  }
  return [...byNames.values()];
}

function largestOf(left: Slice, right: Slice): Slice {
  return Object.fromEntries(
    Object.entries(left).map(([name, size]) => [name, Math.max(size, right[name] ?? 0)]),
  );
}

function distinct<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
