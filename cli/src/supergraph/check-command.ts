import { outcomeOf, writeDiagnostics, writeReport, writeText, type Report } from '@trellis/composition';
import { secondComposer } from '@trellis/composition/second-composer';
import { readBase } from './base-graph.ts';
import { checkGraphs } from './check-graphs.ts';
import { codesToExplain, documentationOf } from './code-pages.ts';
import { composeInputAhead, readNamedGraph, type ComposedGraph } from './composed-graph.ts';
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
  const { merged, settled } = await asStep(output, 'Composing', () => composeInputAhead(call));
  const released = settled.finally(() => secondComposer.release()); // its memory is for what proves orders of deployment
  const signal = abortedWithout(settled);
  const contracts = merged.contracts ?? base.contracts;
  const rules = { ...agreed, contracts: contractsOf({ contracts }, agreed) };
  const problems = contractProblems(merged, rules.contracts);
  const { operations, limits, limitsAgainst } = call;
  const given = { operations, limits, limitsAgainst, baseName: against, place: config, signal };
  const comparing = asStep(output, 'Comparing, and proving orders of deployment', () =>
    checkGraphs({ ...given, base, rules, composed: { ...merged, contracts, diagnostics: [] }, now }),
  );
  const ended = comparing.catch(() => undefined); // its failure counts where something was composed
  const whole = await asStep(output, 'Proving that every query has a plan', () => released);
  const isComposed = whole.supergraphSdl !== undefined;
  const diagnostics = [...whole.diagnostics, ...(isComposed ? problems : [])];
  const composed = { ...whole, contracts, diagnostics };
  await ended;
  const compared = isComposed ? await comparing : emptyReport('check');
  if (typeof compared === 'string') {
    output.error(
      writeDiagnostics({ ...emptyReport('check'), diagnostics: composed.diagnostics }, composed.sources),
    );
    output.error(compared);
    return 'failed';
  }
  const report = { ...compared, diagnostics: [...composed.diagnostics, ...compared.diagnostics] };
  await write(report, call, composed, output);
  return outcomeOf(report);
}

/** A signal that is aborted where nothing was composed in the end. */
function abortedWithout(settled: Promise<ComposedGraph>): AbortSignal {
  const ending = new AbortController();
  const abort = (): void => ending.abort();
  const look = ({ supergraphSdl }: ComposedGraph): void => {
    if (supergraphSdl === undefined) abort();
  };
  settled.then(look, abort); // a failure is the caller's, too
  return ending.signal;
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
