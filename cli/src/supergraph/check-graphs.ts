import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  compareGraphs,
  CoordinateIndex,
  extractSubgraphs,
  openRootFields,
  proveWindow,
  reportChanges,
  reportedPlans,
  reportedWindow,
  unprovedParts,
  Usage,
  windowChanges,
  type CheckRules,
  type ContractChange,
  type Release,
  type Report,
  type ReportedDiagnostic,
  type SubgraphSchema,
  type WindowProof,
} from '@trellis/composition';
import { readRecorded, type ReadUsageTables } from '../recorded/read-recorded.ts';
import type { ComposedGraph } from './composed-graph.ts';
import { emptyReport } from './empty-report.ts';
import { isInvalidSupergraph } from './invalid-supergraph.ts';
import { measureCosts } from './measure-costs.ts';
import { readServedGraph, type ServedGraph } from './served-graph.ts';
import { windowSide } from './window-side.ts';

const DAY_MS = 86_400_000;

/** A change of a graph, and what it is judged by. */
export interface GraphChange {
  readonly base: Release;
  /** What the graph before is called in messages. */
  readonly baseName: string;
  readonly composed: ComposedGraph;
  readonly rules: CheckRules;
  /** Files and folders of recorded operations. */
  readonly operations: readonly string[];
  /** The `gateway.yaml` in force. */
  readonly limits: string | undefined;
  /** The one in force before. @default the same */
  readonly limitsAgainst: string | undefined;
  /** What changes without a place in a schema are shown at: the configuration, or the log. */
  readonly place: string;
  readonly now: Date;
  /** Aborted when the result is of no use any more: what compares ends at its next step. @default never */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Compares a graph that was composed with the one before. The event loop turns between its steps, so that threads get what they wait for.
 *
 * @param readTables reads recorded operations of a database. @default loads the driver first
 * @returns a message where what is compared with is no supergraph
 */
export async function checkGraphs(
  change: GraphChange,
  readTables?: ReadUsageTables,
): Promise<Report | string> {
  const { base, baseName, composed, limits, limitsAgainst, signal } = change;
  const { diagnostics, supergraphSdl } = composed;
  if (supergraphSdl === undefined) return { ...emptyReport('check'), diagnostics };
  await nextTurn(undefined, { signal });
  const before = readServed(base.supergraphSdl, limitsAgainst ?? limits);
  if (typeof before === 'string') return `error: ${baseName} is not a supergraph: ${before}\n`;
  await nextTurn(undefined, { signal });
  const after = readServedGraph(supergraphSdl, limits, true);
  await nextTurn(undefined, { signal });
  const usage = await readUsage(change, before, after, readTables);
  return compareServed(change, before, after, usage);
}

function readServed(supergraphSdl: string, settings: string | undefined): ServedGraph | string {
  try {
    return readServedGraph(supergraphSdl, settings);
  } catch (error) {
    if (isInvalidSupergraph(error)) return error.message.replace(/^The text is not a supergraph: /, '');
    throw error;
  }
}

async function compareServed(
  change: GraphChange,
  before: ServedGraph,
  after: ServedGraph,
  usage: Usage | undefined,
): Promise<Report> {
  const { rules, composed, now, place, signal } = change;
  await nextTurn(undefined, { signal });
  const compared = compareGraphs(before.comparable, after.comparable, contractChanges(change));
  await nextTurn(undefined, { signal });
  const window = await proveBetween(change, before, after, usage);
  await nextTurn(undefined, { signal });
  const changes = [...compared, ...(window ? windowChanges(window.proof) : [])];
  const { changes: reported, problems } = reportChanges(changes, {
    evidence: { usage, costsOf: measureCosts(before, after), isWindowProved: true },
    approvals: rules.approvals,
    places: new CoordinateIndex(composed.subgraphs),
    config: { source: place },
    now,
  });
  const unproved = window ? unprovedParts(window.proof) : [];
  const warnings = [...problems, ...(usage?.problems ?? []), ...unproved].map(
    (problem): ReportedDiagnostic => ({
      ...problem,
      severity: 'warning',
    }),
  );
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

/** One that the graph declares for the first time has no clients yet. One that `checks.yaml` alone names is served elsewhere, by the same tags. */
function contractChanges({ base, composed, rules }: GraphChange): readonly ContractChange[] {
  const served = new Map(base.contracts?.map((contract) => [contract.name, contract]));
  const declared = new Set(composed.contracts?.map(({ name }) => name));
  return rules.contracts.flatMap((after) => {
    const isNew = base.contracts !== undefined && declared.has(after.name);
    const before = served.get(after.name) ?? (isNew ? undefined : after);
    return before ? [{ before, after }] : [];
  });
}

interface ProvedWindow {
  readonly proof: WindowProof;
  /** Whether the own schemas of subgraphs before are known. */
  readonly ownSchemas: boolean;
}

async function proveBetween(
  { base, composed, signal }: GraphChange,
  before: ServedGraph,
  after: ServedGraph,
  usage: Usage | undefined,
): Promise<ProvedWindow | undefined> {
  const ownSchemas = base.subgraphs !== undefined;
  const formerOf = (): ReadonlyMap<string, string> =>
    base.subgraphs ? ownSchemasOf(base.subgraphs) : extractSubgraphs(base.supergraphSdl);
  const latterOf = (): ReadonlyMap<string, string> =>
    ownSchemas ? ownSchemasOf(composed.subgraphs) : extractSubgraphs(after.comparable.supergraph.sdl);
  const sides = [windowSide(before, formerOf()), windowSide(after, latterOf())] as const;
  const proof = await proveWindow(...sides, usage, { signal });
  return proof && { proof, ownSchemas };
}

function ownSchemasOf(subgraphs: readonly SubgraphSchema[]): ReadonlyMap<string, string> {
  return new Map(subgraphs.map(({ name, sdl }) => [name, sdl]));
}

async function readUsage(
  { operations, rules: { excludedClients, usagePeriodDays }, now }: GraphChange,
  before: ServedGraph,
  after: ServedGraph,
  readTables: ReadUsageTables | undefined,
): Promise<Usage | undefined> {
  if (operations.length === 0) return undefined;
  const since = new Date(now.getTime() - usagePeriodDays * DAY_MS);
  const recorded = await readRecorded(operations, {}, readTables);
  return new Usage(recorded, before.comparable.apiSchema, after.comparable.apiSchema, {
    excludedClients,
    since,
  });
}
