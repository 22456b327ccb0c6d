import {
  outcomeOf,
  releaseText,
  writeDiagnostics,
  writeReport,
  type Report,
  type Sources,
} from '@trellis/composition';
import { codesToExplain, documentationOf } from './code-pages.ts';
import { composeInput } from './composed-graph.ts';
import { emptyReport } from './empty-report.ts';
import { asStep, type Output } from './output.ts';
import type { ComposeCall } from './read-command-line.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

/**
 * Composes a configuration into a file, or onto the standard output. The report goes to the standard error; as JSON, where the
 * supergraph has a file, to the standard output.
 */
export async function composeCommand(call: ComposeCall, output: Output): Promise<'passed' | 'failed'> {
  const composing = (): ReturnType<typeof composeInput> => composeInput(call);
  const { supergraphSdl, subgraphs, diagnostics, sources } = await asStep(output, 'Composing', composing);
  const report: Report = { ...emptyReport('compose'), diagnostics };
  const text = call.format === 'text' ? describe(report, sources) : writeReport(report, call.format, sources);
  const isResult = call.format === 'json' && call.output !== undefined;
  (isResult ? output.out : output.error)(text);
  if (supergraphSdl === undefined) return 'failed';
  if (call.output === undefined) output.out(supergraphSdl);
  else await writeFileAtomically(call.output, supergraphSdl);
  if (call.release !== undefined)
    await writeFileAtomically(call.release, releaseText({ supergraphSdl, subgraphs }));
  return outcomeOf(report) === 'failed' ? 'failed' : 'passed';
}

function describe(report: Report, sources: Sources): string {
  return `${writeDiagnostics(report, sources)}${documentationOf(codesToExplain(report))}`;
}
