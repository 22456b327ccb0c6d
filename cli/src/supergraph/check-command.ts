import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  compareGraphs,
  CoordinateIndex,
  DEFAULT_CHECK_RULES,
  extractSubgraphs,
  openRootFields,
  outcomeOf,
  proveWindow,
  readCheckRules,
  readOperations,
  reportChanges,
  reportedPlans,
  reportedWindow,
  Usage,
  windowChanges,
  writeDiagnostics,
  writeReport,
  writeText,
  type CheckRules,
  type Release,
  type Report,
  type ReportedDiagnostic,
  type SubgraphSchema,
  type WindowProof,
} from '@trellis/composition';
import { readBase } from './base-graph.ts';
import { composeInput, type ComposedGraph } from './composed-graph.ts';
import { emptyReport } from './empty-report.ts';
import { measureCosts } from './measure-costs.ts';
import type { Output } from './output.ts';
import type { CheckCall } from './read-command-line.ts';
import { readServedGraph, type ServedGraph } from './served-graph.ts';
import { windowSide } from './window-side.ts';
import { writeFileAtomically } from './write-file-atomically.ts';

const DAY_MS = 86_400_000;

/** Composes a configuration, and reports what changes against the graph before. */
export async function checkCommand(
  call: CheckCall,
  output: Output,
  now: Date = new Date(),
): Promise<'passed' | 'failed' | 'undecided'> {
  const base = await readBase(call.against, call.config);
  const rules = await readRules(call);
  const composed = await composeInput(call);
  const report = await reportOf(call, { base, rules, composed, now });
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

interface Given {
  readonly base: Release;
  readonly rules: CheckRules;
  readonly composed: ComposedGraph;
  readonly now: Date;
}

/** @returns a message where what is compared with is no supergraph */
async function reportOf(call: CheckCall, given: Given): Promise<Report | string> {
  const { base, composed } = given;
  const { diagnostics, supergraphSdl } = composed;
  if (supergraphSdl === undefined) return { ...emptyReport('check'), diagnostics };
  const before = readServed(base.supergraphSdl, call.limitsAgainst ?? call.limits);
  if (typeof before === 'string') return `error: ${call.against} is not a supergraph: ${before}\n`;
  const after = readServedGraph(supergraphSdl, call.limits, true);
  return compareServed(call, given, before, after);
}

function readServed(supergraphSdl: string, settings: string | undefined): ServedGraph | string {
  try {
    return readServedGraph(supergraphSdl, settings);
  } catch (error) {
    if (error instanceof Error && error.name === 'InvalidSupergraph')
      return error.message.replace(/^The text is not a supergraph: /, '');
    throw error;
  }
}

async function compareServed(
  call: CheckCall,
  { base, rules, composed, now }: Given,
  before: ServedGraph,
  after: ServedGraph,
): Promise<Report> {
  const usage = await readUsage(call, rules, before, after, now);
  const compared = compareGraphs(before.comparable, after.comparable, rules.contracts);
  const window = await proveBetween(base, composed, before, after, usage);
  const changes = [...compared, ...(window ? windowChanges(window.proof) : [])];
  const { changes: reported, problems } = reportChanges(changes, {
    evidence: { usage, costsOf: measureCosts(before, after), isWindowProved: true },
    approvals: rules.approvals,
    places: new CoordinateIndex(composed.subgraphs),
    config: { source: call.config },
    now,
  });
  const warnings = problems.map((problem): ReportedDiagnostic => ({ ...problem, severity: 'warning' }));
  return {
    ...emptyReport('check'),
    diagnostics: [...composed.diagnostics, ...warnings],
    changes: reported,
    ...(window && {
      window: reportedWindow(window.proof, window.ownSchemas),
      plans: reportedPlans(window.proof),
    }),
    openRootFields: openRootFields(after.comparable),
    operations: usage?.operations.length,
  };
}

interface ProvedWindow {
  readonly proof: WindowProof;
  /** Whether the own schemas of subgraphs before are known. */
  readonly ownSchemas: boolean;
}

async function proveBetween(
  base: Release,
  composed: ComposedGraph,
  before: ServedGraph,
  after: ServedGraph,
  usage: Usage | undefined,
): Promise<ProvedWindow | undefined> {
  const ownSchemas = base.subgraphs !== undefined;
  const formerOf = (): ReadonlyMap<string, string> =>
    base.subgraphs ? ownSchemasOf(base.subgraphs) : extractSubgraphs(base.supergraphSdl);
  const latterOf = (): ReadonlyMap<string, string> =>
    ownSchemas ? ownSchemasOf(composed.subgraphs) : extractSubgraphs(after.comparable.supergraphSdl);
  const proof = await proveWindow(windowSide(before, formerOf()), windowSide(after, latterOf()), usage);
  return proof && { proof, ownSchemas };
}

function ownSchemasOf(subgraphs: readonly SubgraphSchema[]): ReadonlyMap<string, string> {
  return new Map(subgraphs.map(({ name, sdl }) => [name, sdl]));
}

async function readUsage(
  { operations }: CheckCall,
  { excludedClients, usagePeriodDays }: CheckRules,
  before: ServedGraph,
  after: ServedGraph,
  now: Date,
): Promise<Usage | undefined> {
  if (operations.length === 0) return undefined;
  const since = new Date(now.getTime() - usagePeriodDays * DAY_MS);
  const recorded = await readOperations(operations);
  return new Usage(recorded, before.comparable.apiSchema, after.comparable.apiSchema, {
    excludedClients,
    since,
  });
}
