import {
  compareGraphs,
  CoordinateIndex,
  reportChanges,
  Usage,
  type RecordedOperations,
  type Verdict,
} from '@trellis/composition';
import { measureCosts } from '../src/supergraph/measure-costs.ts';
import type { ServedGraph } from '../src/supergraph/served-graph.ts';

/** An operation, sent by a caller with no token, and by one with a scope that pairs name. */
export function recordedOperation(document: string): RecordedOperations {
  const client = { name: 'web', version: '1', requests: 10 };
  const operation = {
    id: '1',
    document,
    clients: [client],
    inputs: new Set<string>(),
    slices: [{}],
    scopes: [null, ['a']],
  };
  return { operations: [operation], isComplete: true };
}

/** Both sides of a change. */
export interface ServedSides {
  readonly before: ServedGraph;
  readonly after: ServedGraph;
}

/**
 * What a check says of one change of a pair.
 *
 * @param key its code and coordinate: `FIELD_REMOVED Query.a`
 * @param operation all that clients have sent; absent: nothing was recorded
 * @returns undefined where the check finds no such change
 */
export function verdictOf(
  { before, after }: ServedSides,
  key: string,
  operation?: string,
  isWindowProved = false,
): Verdict | undefined {
  const { changes } = reportChanges(compareGraphs(before.comparable, after.comparable), {
    evidence: {
      usage: usageOf({ before, after }, operation),
      costsOf: measureCosts(before, after),
      isWindowProved,
    },
    approvals: [],
    places: new CoordinateIndex([]),
    config: { source: 'supergraph.yaml' },
    now: new Date(),
  });
  return changes.find(({ code, coordinate }) => `${code} ${coordinate}` === key)?.verdict;
}

/** Undefined without an operation: nothing was recorded. */
export function usageOf({ before, after }: ServedSides, operation?: string): Usage | undefined {
  if (operation === undefined) return undefined;
  return new Usage(recordedOperation(operation), before.comparable.apiSchema, after.comparable.apiSchema);
}
