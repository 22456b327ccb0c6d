import type { ListedDocument } from './read-documents.ts';
import { planRecorded } from '@trellis/gateway/offline';
import { readBase } from '../supergraph/base-graph.ts';
import { isInvalidSupergraph } from '../supergraph/invalid-supergraph.ts';
import { readServedGraph, type ServedGraph } from '../supergraph/served-graph.ts';
import { OperationsProblem } from '../recorded/operations-problem.ts';

/** An operation that a graph does not serve. */
export interface UnservedOperation {
  /** `src/Profile.graphql:3`. */
  readonly place: string;
  /** The code that a gateway would give, or UNPLANNABLE. */
  readonly code: string;
  readonly message: string;
}

/**
 * Validates and plans operations as a gateway does that serves the graph, as callers with all rights.
 *
 * @param against a supergraph, a release, a configuration, the URL of one of them, or `git:REVISION`
 * @param limits the `gateway.yaml` in force. @default the defaults
 * @throws OperationsProblem INVALID_GRAPH; BaseUnavailable, ConfigError; Error of node:fs
 */
export async function checkList(
  documents: readonly ListedDocument[],
  against: string,
  limits: string | undefined,
): Promise<readonly UnservedOperation[]> {
  const { supergraphSdl } = await readBase(against, against);
  const { graph } = servedBy(supergraphSdl, against, limits);
  const unserved: UnservedOperation[] = [];
  for (const { body, name, source, line } of documents) {
    const place = `${source}:${line}`;
    const called = name ?? 'The operation';
    const rejected = graph.read(body, name).find((one) => one.kind === 'rejected');
    if (rejected) {
      unserved.push({ place, code: rejected.code, message: `${called}: ${rejected.message}` });
      continue;
    }
    const planned = await planRecorded(graph, { document: body, operationName: name });
    if (planned.kind === 'unplannable')
      unserved.push({ place, code: 'UNPLANNABLE', message: `${called}: ${planned.message}` });
  }
  return unserved;
}

function servedBy(supergraphSdl: string, against: string, limits: string | undefined): ServedGraph {
  try {
    return readServedGraph(supergraphSdl, limits);
  } catch (error) {
    if (!isInvalidSupergraph(error)) throw error;
    const reason = error.message.replace(/^The text is not a supergraph: /, '');
    throw new OperationsProblem('INVALID_GRAPH', `${against} is not a supergraph: ${reason}`, {
      cause: error,
    });
  }
}
