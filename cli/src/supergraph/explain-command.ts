import { writePlanSvg, writePlanText, type ExplainedOperation } from '@trellis/composition';
import { costOf, variablesOf, type OfflineGraph } from '@trellis/gateway/offline';
import { readBase } from './base-graph.ts';
import { readNamedFile } from './named-file.ts';
import type { Output } from './output.ts';
import type { ExplainCall } from './read-command-line.ts';
import { rightsOf } from './rights-of-operation.ts';
import { readServedGraph } from './served-graph.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

/** Explains how the gateway would run an operation: requests to subgraphs, their order, cost and rights. */
export async function explainCommand(call: ExplainCall, output: Output): Promise<'passed' | 'failed'> {
  const { supergraphSdl } = await readBase(call.against, call.against);
  const { graph } = readServedGraph(supergraphSdl, call.limits);
  const document = await readNamedFile(call.operation);
  const explained = await explain(graph, document, call);
  if (typeof explained === 'string') {
    output.error(`error: ${call.operation}: ${explained}\n`);
    return 'failed';
  }
  const text = writers[call.format](explained);
  if (call.output === undefined) output.out(text);
  else await writeFileAtomically(call.output, text);
  return 'passed';
}

const writers: Readonly<Record<ExplainCall['format'], (explained: ExplainedOperation) => string>> = {
  text: writePlanText,
  svg: writePlanSvg,
  json: (explained) => `${JSON.stringify(explained, undefined, 2)}\n`,
};

/** @returns a message where the gateway would reject the operation, or finds no plan */
async function explain(
  graph: OfflineGraph,
  document: string,
  { operationName, variables }: ExplainCall,
): Promise<ExplainedOperation | string> {
  const [read] = graph.read(document, operationName);
  if (read?.kind !== 'accepted') return `${read?.code ?? ''}: ${read?.message ?? ''}`;
  const [usual = {}] = variablesOf(read, {});
  const given = { ...usual, ...variables };
  try {
    const { step, requests, depth } = await read.plan(given);
    return {
      name: read.name,
      type: read.type,
      cost: Math.max(read.costOf(given), costOf(read, { slices: [variables] })),
      requests,
      depth,
      rights: rightsOf(graph, document),
      step,
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
