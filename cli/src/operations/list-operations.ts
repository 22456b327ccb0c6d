import type { OperationClient, RecordedOperation, RecordedOperations } from '@trellis/composition';
import { tableText } from './table-text.ts';

const MAX_NAME_CHARACTERS = 48;
const COLUMNS = ['OPERATION', 'REQUESTS', 'ERRORS', 'P95 MS', 'LAST USED', 'CLIENTS'];

/** One operation of `trellis operations list --json`. */
export interface ListedOperation {
  readonly id: string;
  /** Its name; without one the beginning of its id. */
  readonly name: string;
  readonly requests: number;
  readonly clients: readonly OperationClient[];
}

/** Operations as data, those that are sent most at the top. */
export function listedOperations({ operations, isComplete }: RecordedOperations): {
  readonly isComplete: boolean;
  readonly operations: readonly ListedOperation[];
} {
  const listed = operations.map((operation) => ({
    id: operation.id,
    name: nameOf(operation),
    requests: requestsOf(operation.clients),
    clients: operation.clients,
  }));
  return { isComplete, operations: listed.toSorted((left, right) => right.requests - left.requests) };
}

/** A table of operations, those that are sent most at the top. */
export function operationsTable({ operations, isComplete }: RecordedOperations): string {
  const rows = operations
    .map((operation) => ({ operation, requests: requestsOf(operation.clients) }))
    .toSorted((left, right) => right.requests - left.requests)
    .map(({ operation }) => rowOf(operation));
  const note = isComplete
    ? []
    : ['', 'Intervals are missing: what is not listed may be in use all the same.'];
  return [tableText([COLUMNS, ...rows]), ...note.map((line) => `${line}\n`)].join('');
}

function rowOf(operation: RecordedOperation): readonly string[] {
  const { clients } = operation;
  return [
    nameOf(operation).slice(0, MAX_NAME_CHARACTERS),
    String(requestsOf(clients)),
    String(clients.reduce((sum, { errors = {} }) => sum + total(errors), 0)),
    percentile95(clients),
    clients
      .flatMap(({ lastUsed }) => lastUsed ?? [])
      .toSorted()
      .at(-1) ?? '',
    clients.map(({ name, version }) => (version === undefined ? name : `${name} ${version}`)).join(', '),
  ];
}

function requestsOf(clients: readonly OperationClient[]): number {
  return clients.reduce((sum, { requests }) => sum + requests, 0);
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Its name; without one the beginning of its id. */
function nameOf({ id, document }: RecordedOperation): string {
  const [, name] = /^\s*(?:query|mutation|subscription)\s+(\w+)/.exec(document) ?? [];
  return name ?? id.slice(0, 12);
}

/** The bound that 95 of 100 requests did not exceed. */
function percentile95(clients: readonly OperationClient[]): string {
  const counts = new Map<number, number>();
  for (const { latencyMs = {} } of clients)
    for (const [bound, count] of Object.entries(latencyMs)) {
      const ms = bound === 'more' ? Infinity : Number(bound);
      counts.set(ms, (counts.get(ms) ?? 0) + count);
    }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (const [bound, count] of [...counts].toSorted(([left], [right]) => left - right)) {
    seen += count;
    if (seen >= 0.95 * all) return bound === Infinity ? 'more' : String(bound);
  }
  return '';
}
