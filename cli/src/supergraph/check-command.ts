import { outcomeOf, writeDiagnostics, writeReport, writeText, type Report } from '@trellis/composition';
import { secondComposer } from '@trellis/composition/second-composer';
import { readBase } from './base-graph.ts';
import { checkGraphs } from './check-graphs.ts';
import { codesToExplain, documentationOf } from './code-pages.ts';
import { composeInput, readNamedGraph, type ComposedGraph } from './composed-graph.ts';
import { contractProblems, contractsOf } from './contracts-of.ts';
import { emptyReport } from './empty-report.ts';
import { asStep, type Output } from './output.ts';
import type { CheckCall } from './read-command-line.ts';
import { readRules } from './read-rules.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

/** Composes a configuration, and reports what changes against the graph before. */
export async function checkCommand(
  call: CheckCall,
  output: Output,
  now: Date = new Date(),
): Promise<'passed' | 'failed' | 'undecided'> {
  const { base: graph, against, config } = call;
  const base = await asStep(output, `Reading ${against}`, () =>
    graph ? readNamedGraph(graph) : readBase(against, config),
  );
  const agreed = await readRules(call);
  const whole = await asStep(output, 'Composing', () => composeInput(call));
  await secondComposer.release(); // what proves orders of deployment needs the memory
  const contracts = whole.contracts ?? base.contracts;
  const rules = { ...agreed, contracts: contractsOf({ contracts }, agreed) };
  const composed = {
    ...whole,
    contracts,
    diagnostics: [...whole.diagnostics, ...contractProblems(whole, rules.contracts)],
  };
  const { operations, limits, limitsAgainst } = call;
  const given = { operations, limits, limitsAgainst, baseName: against, place: config };
  const report = await asStep(output, 'Comparing, and proving orders of deployment', () =>
    checkGraphs({ ...given, base, rules, composed, now }),
  );
  if (typeof report === 'string') {
    output.error(
      writeDiagnostics({ ...emptyReport('check'), diagnostics: composed.diagnostics }, composed.sources),
    );
    output.error(report);
    return 'failed';
  }
  await write(report, call, composed, output);
  return outcomeOf(report);
}

async function write(
  report: Report,
  { format, output: file }: CheckCall,
  { sources }: ComposedGraph,
  output: Output,
): Promise<void> {
  if (format === 'text') output.error(writeDiagnostics(report, sources));
  const isComposed = !report.diagnostics.some(({ severity }) => severity === 'error');
  const text =
    format === 'text' ? (isComposed ? writeText(report) : '') : writeReport(report, format, sources);
  if (file === undefined) output.out(format === 'text' ? (output.paint?.(text) ?? text) : text);
  else await writeFileAtomically(file, text);
  if (format === 'text') output.error(documentationOf(codesToExplain(report)));
}
