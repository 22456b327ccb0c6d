import { outcomeOf, releaseText, writeDiagnostics, writeReport, type Report } from '@trellis/composition';
import { composeInput } from './composed-graph.ts';
import { emptyReport } from './empty-report.ts';
import type { Output } from './output.ts';
import type { ComposeCall } from './read-command-line.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

/**
 * Composes a configuration into a file, or onto the standard output. A report in another form than text goes to the
 * standard error.
 */
export async function composeCommand(call: ComposeCall, output: Output): Promise<'passed' | 'failed'> {
  const { supergraphSdl, subgraphs, diagnostics, sources } = await composeInput(call);
  const report: Report = { ...emptyReport('compose'), diagnostics };
  output.error(
    call.format === 'text' ? writeDiagnostics(report, sources) : writeReport(report, call.format, sources),
  );
  if (supergraphSdl === undefined) return 'failed';
  if (call.output === undefined) output.out(supergraphSdl);
  else await writeFileAtomically(call.output, supergraphSdl);
  if (call.release !== undefined)
    await writeFileAtomically(call.release, releaseText({ supergraphSdl, subgraphs }));
  return outcomeOf(report) === 'failed' ? 'failed' : 'passed';
}
