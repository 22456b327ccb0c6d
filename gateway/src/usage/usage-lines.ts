import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { literalLength } from '../operation/limits/list-length.ts';
import { executableFormOf, type ExecutableForm } from './executable-form.ts';
import { LATENCY_BOUNDS_MS, type ClientCounts } from './client-counts.ts';
import type { OperationCounts, UsageCounts } from './usage-counts.ts';
import { namedSizes } from './variable-use.ts';

/** A window of time of one process. */
export interface UsageInterval {
  readonly from: Date;
  readonly to: Date;
  /** Names the process among all that have ever recorded. */
  readonly process: string;
}

/** An operation of an interval. */
export interface RecordedLine {
  /** SHA-256 of its document. */
  readonly id: string;
  /** Absent where its client gives it none. */
  readonly name: string | undefined;
  readonly requests: number;
  readonly errors: number;
  /** JSON, as checks of composition read it: with the document, the clients and all the rest. */
  readonly text: string;
}

/** What was counted in an interval, as it leaves the process. */
export interface RecordedInterval extends UsageInterval {
  /** Whether nothing is missing: neither in it, nor between it and the one before. */
  readonly isComplete: boolean;
  readonly operations: readonly RecordedLine[];
}

/** Longer documents are not recorded. */
const MAX_DOCUMENT_BYTES = 32_768;
/** Of an interval: all that a queue stores. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** Milliseconds for which texts are made before others get a turn. */
const TURN_MS = 5;

/**
 * Makes of what was counted what leaves the process.
 *
 * @param hurry what is not made by then is left out
 */
export async function recordInterval(
  counts: UsageCounts,
  interval: UsageInterval,
  hurry: AbortSignal,
): Promise<RecordedInterval> {
  const operations: RecordedLine[] = [];
  let [isComplete, characters, turnEndsMs] = [!counts.isIncomplete, 0, 0];
  for (const operation of counts.operations) {
    if (performance.now() >= turnEndsMs) {
      await nextTurn();
      turnEndsMs = performance.now() + TURN_MS;
    }
    if (hurry.aborted || characters >= MAX_CHARACTERS) return { ...interval, isComplete: false, operations };
    const line = tryLineOf(operation);
    characters += line?.text.length ?? 0;
    if (line && characters <= MAX_CHARACTERS) operations.push(line);
    else isComplete = false;
  }
  return { ...interval, isComplete, operations };
}

/**
 * The file that checks of composition read: a header, and a line for each operation.
 *
 * @see docs/recorded-operations.md, "The format"
 */
export function usageFile({ from, to, process, isComplete, operations }: RecordedInterval): string {
  const header = JSON.stringify({ format: 'trellis-operations/1', from, to, complete: isComplete, process });
  return [header, ...operations.map(({ text }) => text)].map((line) => `${line}\n`).join('');
}

/** Undefined for a document that is too long, or can't be printed: an interval that lacks it is worth more than none. */
function tryLineOf(counts: OperationCounts): RecordedLine | undefined {
  try {
    return lineOf(counts);
  } catch {
    return undefined;
  }
}

function lineOf(counts: OperationCounts): RecordedLine {
  const { operation, readers, variables, clients, scopes, conditions } = counts;
  const form = executableFormOf(operation, readers.costs.schema, MAX_DOCUMENT_BYTES);
  const id = createHash('sha256').update(form.text).digest('hex');
  const rows = [...clients.values()];
  const slices = slicesOf(form, counts);
  const text = JSON.stringify({
    id,
    document: form.text,
    clients: rows.map(clientOf),
    ...(variables.inputs && { inputs: [...variables.inputs].toSorted() }),
    ...(slices && { slices }),
    ...(scopes.values && { scopes: scopes.values }),
    ...(conditions.values && conditions.values.length > 0 && { conditions: conditions.values }),
  });
  return {
    id,
    name: operation.name,
    requests: rows.reduce((sum, { requests }) => sum + requests, 0),
    errors: rows.reduce((sum, { errors }) => sum + total(errors), 0),
    text,
  };
}

/** Lengths of lists that clients have asked for: in variables, and in the document itself. */
function slicesOf(
  { document, literals }: ExecutableForm,
  { readers, variables }: OperationCounts,
): OperationCounts['variables']['slices'] {
  const written = namedSizes(document, readers.costs)?.flatMap(({ name, key }) => {
    const literal = literals.get(name);
    const length = literal && literalLength(literal);
    return length === undefined ? [] : [[key, length] as const];
  });
  return written && variables.slices?.map((slice) => ({ ...slice, ...Object.fromEntries(written) }));
}

function total(errors: ReadonlyMap<string, number>): number {
  return [...errors.values()].reduce((sum, count) => sum + count, 0);
}

/** One that says nothing of itself has the name of its OAuth client. */
function clientOf({ sender, requests, lastMs, errors, latency }: ClientCounts): object {
  const { client, oauthClient } = sender;
  return {
    name: client?.name ?? oauthClient ?? 'unknown',
    ...(client && client.version !== '' && { version: client.version }),
    ...(client && oauthClient !== undefined && { oauthClient }),
    requests,
    lastUsed: dateOf(lastMs).toISOString(),
    ...(errors.size > 0 && { errors: Object.fromEntries(errors) }),
    latencyMs: Object.fromEntries(
      [...latency.entries()]
        .filter(([, answered]) => answered > 0)
        .map(([bucket, answered]) => [LATENCY_BOUNDS_MS[bucket] ?? 'more', answered]),
    ),
  };
}

/** @param ms by `performance.now()`, a short time ago */
function dateOf(ms: number): Date {
  return new Date(Date.now() - (performance.now() - ms));
}
