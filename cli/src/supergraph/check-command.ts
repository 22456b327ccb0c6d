import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  DEFAULT_CHECK_RULES,
  outcomeOf,
  readCheckRules,
  writeDiagnostics,
  writeReport,
  writeText,
  type CheckRules,
  type Report,
} from '@trellis/composition';
import { readBase } from './base-graph.ts';
import { checkGraphs } from './check-graphs.ts';
import { composeInput, readNamedGraph, type ComposedGraph } from './composed-graph.ts';
import { emptyReport } from './empty-report.ts';
import type { Output } from './output.ts';
import type { CheckCall } from './read-command-line.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

/** Composes a configuration, and reports what changes against the graph before. */
export async function checkCommand(
  call: CheckCall,
  output: Output,
  now: Date = new Date(),
): Promise<'passed' | 'failed' | 'undecided'> {
  const base = call.base ? await readNamedGraph(call.base) : await readBase(call.against, call.config);
  const rules = await readRules(call);
  const composed = await composeInput(call);
  const { operations, limits, limitsAgainst, against: baseName, config: place } = call;
  const given = { operations, limits, limitsAgainst, baseName, place };
  const report = await checkGraphs({ ...given, base, rules, composed, now });
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

async function readRules({ approvals, config }: CheckCall): Promise<CheckRules> {
  const usual = join(dirname(config), 'checks.yaml');
  const file = approvals ?? (existsSync(usual) ? usual : undefined);
  return file === undefined ? DEFAULT_CHECK_RULES : readCheckRules(file);
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
  if (file === undefined) output.out(text);
  else await writeFileAtomically(file, text);
}
