import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { executableFormOf } from './executable-form.ts';
import {
  LATENCY_BOUNDS_MS,
  type ClientCounts,
  type OperationCounts,
  type UsageCounts,
} from './usage-counts.ts';

/** Which interval of which process. */
export interface UsageInterval {
  readonly from: Date;
  readonly to: Date;
  /** Names the process among all that have ever recorded. */
  readonly process: string;
}

/** Longer documents are not recorded. */
const MAX_DOCUMENT_BYTES = 32_768;
/** Texts that are made before others get a turn: some 0.2 ms each. */
const PER_TURN = 10;

/**
 * What was counted in an interval, as the file that checks of composition read: a header, and a line for each operation.
 *
 * @see docs/composition.md, "With recorded operations"
 */
export async function usageLines(counts: UsageCounts, interval: UsageInterval): Promise<string> {
  const lines: string[] = [];
  let isComplete = !counts.isIncomplete;
  for (const [index, operation] of counts.operations.entries()) {
    if (index % PER_TURN === 0) await nextTurn();
    const line = lineOf(operation);
    if (line === undefined) isComplete = false;
    else lines.push(line);
  }
  const { from, to, process } = interval;
  const header = { format: 'trellis-operations/1', from, to, complete: isComplete, process };
  return [JSON.stringify(header), ...lines].map((line) => `${line}\n`).join('');
}

/** Undefined for a document that is too long. */
function lineOf({ operation, schema, clients, scopes, conditions }: OperationCounts): string | undefined {
  const document = executableFormOf(operation, schema);
  if (Buffer.byteLength(document) > MAX_DOCUMENT_BYTES) return undefined;
  return JSON.stringify({
    id: createHash('sha256').update(document).digest('hex'),
    document,
    clients: [...clients.values()].map(clientOf),
    scopes: [...scopes].map((text) => JSON.parse(text) as unknown),
    ...(conditions.size > 0 && { conditions: [...conditions].map((text) => JSON.parse(text) as unknown) }),
  });
}

/** One that says nothing of itself has the name of its OAuth client. */
function clientOf({ client, oauthClient, requests, lastMs, errors, latency }: ClientCounts): object {
  return {
    name: client?.name ?? oauthClient ?? 'unknown',
    ...(client && client.version !== '' && { version: client.version }),
    ...(client && oauthClient !== undefined && { oauthClient }),
    requests,
    lastUsed: new Date(lastMs).toISOString(),
    ...(errors.size > 0 && { errors: Object.fromEntries(errors) }),
    latencyMs: Object.fromEntries(
      [...latency.keys()]
        .filter((bucket) => latency[bucket])
        .map((bucket) => [LATENCY_BOUNDS_MS[bucket] ?? 'more', latency[bucket]]),
    ),
  };
}
