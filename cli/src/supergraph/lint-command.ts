import {
  CoordinateIndex,
  lintGraph,
  writeDiagnostics,
  writeReport,
  type Report,
  type ReportedDiagnostic,
} from '@trellis/composition';
import { codesToExplain, documentationOf } from './code-pages.ts';
import { composeInput } from './composed-graph.ts';
import { emptyReport } from './empty-report.ts';
import { asStep, type Output } from './output.ts';
import type { LintCall } from './read-command-line.ts';
import { readServedGraph } from './served-graph.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

/** Composes a configuration, and reports what only the whole graph shows. Findings are warnings, and fail nothing. */
export async function lintCommand(call: LintCall, output: Output): Promise<'passed' | 'failed'> {
  const composed = await asStep(output, 'Composing', () => composeInput(call));
  const { supergraphSdl, subgraphs, diagnostics, sources } = composed;
  const findings =
    supergraphSdl === undefined ? [] : lint(supergraphSdl, call, new CoordinateIndex(subgraphs));
  const report: Report = { ...emptyReport('lint'), diagnostics: [...diagnostics, ...findings] };
  const text =
    call.format === 'text' ? writeDiagnostics(report, sources) : writeReport(report, call.format, sources);
  if (call.output === undefined) output.out(call.format === 'text' ? (output.paint?.(text) ?? text) : text);
  else await writeFileAtomically(call.output, text);
  if (call.format === 'text') output.error(documentationOf(codesToExplain(report)));
  return supergraphSdl === undefined ? 'failed' : 'passed';
}

function lint(
  supergraphSdl: string,
  { limits }: LintCall,
  places: CoordinateIndex,
): readonly ReportedDiagnostic[] {
  const { comparable, slicingArguments } = readServedGraph(supergraphSdl, limits, true);
  return lintGraph(comparable, slicingArguments, places).map((finding) => ({
    ...finding,
    severity: 'warning',
  }));
}
