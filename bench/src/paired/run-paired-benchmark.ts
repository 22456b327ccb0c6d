import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSubgraphs, type MeasuredSubgraphs } from '../measured-subgraphs.ts';
import { scenarios, type Scenario } from '../scenarios.ts';
import { writeSupergraph } from '../supergraph-file.ts';
import { startTarget, type TargetProcess } from '../target-process.ts';
import type { GatewayBuild, MeasuredGraph } from '../targets/index.ts';
import { openCheckout, type Checkout } from './checkout.ts';
import { compareTurns } from './compare-turns.ts';
import type { ComparedWork } from './comparison-table.ts';
import { pairedLiveQueries } from './paired-live-queries.ts';
import { pairedRequests } from './paired-requests.ts';
import { startSubscribedSide } from './paired-subscribers.ts';
import { measureRecordingShare } from './recording-share.ts';
import { takePairs, type PairedLength, type PairedWork, type WorkPairs } from './paired-work.ts';

/** What to compare. */
export interface PairedBenchmarkOptions extends PairedLength {
  /** The checkout that this one is compared with, compiled; without one, this one with itself where it records what is sent. */
  readonly against: string | undefined;
  /** Only rows whose name contains this text. */
  readonly scenario: string;
  /** Processes of each side, one pair of them after the other: what the compiler makes of a process differs by some 3 %. */
  readonly processes: number;
  /** Has one gateway record in every other turn, in the place of two of which one records. Without a checkout alone. */
  readonly inOneProcess?: boolean;
  /** How both gateways run. @default compiled */
  readonly build?: GatewayBuild;
  /** Prints a line of progress. */
  readonly print: (line: string) => void;
  /** Shows what is measured from now on. */
  readonly begin?: (name: string) => void;
}

const LIVE_QUERIES = 'live queries';
const SUBSCRIBERS = 'subscribers';

const PLAIN = 'bench-gateway.mjs';
const RECORDING = 'recording-gateway.mjs';
const TURNS = 'recording-turns-gateway.mjs';

interface Comparing {
  readonly before: Checkout;
  readonly now: Checkout;
  readonly directory: string;
  readonly options: PairedBenchmarkOptions;
}

/**
 * Starts the gateways of another checkout and of this one side by side, has both do the same in turns, and compares the processor
 * time of all their threads.
 *
 * @throws Error when one of both does not start, or they do not answer alike
 */
export async function runPairedBenchmark(options: PairedBenchmarkOptions): Promise<readonly ComparedWork[]> {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-paired-'));
  try {
    const before = await openCheckout(options.against, options.build);
    const now = await openCheckout(undefined, options.build);
    const comparing = { before, now, directory, options };
    const rows = new Map<string, WorkPairs>();
    for (let process = 1; process <= options.processes; process += 1)
      for (const { name, unit, pairs } of await takeAllPairs(comparing))
        rows.set(name, { name, unit, pairs: [...(rows.get(name)?.pairs ?? []), ...pairs] });
    if (rows.size === 0) throw new Error(`There is no row whose name contains "${options.scenario}".`);
    return [...rows.values()].map(({ name, unit, pairs }) => ({ name, unit, ...compareTurns(pairs) }));
  } finally {
    await rm(directory, { recursive: true });
  }
}

function isChosen(name: string, { scenario }: PairedBenchmarkOptions): boolean {
  return name.includes(scenario);
}

/** Of each row, with processes that are started for it. */
async function takeAllPairs(comparing: Comparing): Promise<WorkPairs[]> {
  if (comparing.options.against === undefined) return compareOnGraph(comparing);
  return [...(await compareOnGraph(comparing)), ...(await compareSubscribers(comparing))];
}

async function compareOnGraph(comparing: Comparing): Promise<WorkPairs[]> {
  const names = [...scenarios.map(({ name }) => name), LIVE_QUERIES];
  if (!names.some((name) => isChosen(name, comparing.options))) return [];
  const subgraphs = await startSubgraphs();
  try {
    const graph = {
      supergraphFile: join(comparing.directory, 'supergraph.graphql'),
      subgraphUrls: subgraphs.urls,
    };
    writeSupergraph(graph.supergraphFile, subgraphs.urls);
    return [
      ...(await compareRequests(comparing, graph)),
      ...(await compareLiveQueries(comparing, graph, subgraphs)),
    ];
  } finally {
    subgraphs.stop();
  }
}

async function compareRequests(comparing: Comparing, graph: MeasuredGraph): Promise<WorkPairs[]> {
  const chosen = scenarios.filter(({ name }) => isChosen(name, comparing.options));
  if (chosen.length === 0) return [];
  if (comparing.options.inOneProcess) return compareRecording(comparing, graph, chosen);
  const own = comparing.options.against === undefined ? RECORDING : PLAIN;
  return withBoth(comparing, [PLAIN, own], graph, async (before, now) => {
    const rows: WorkPairs[] = [];
    for (const scenario of chosen)
      rows.push(await compare(await pairedRequests(scenario, before, now), comparing.options));
    return rows;
  });
}

async function compareRecording(
  { now, directory, options }: Comparing,
  graph: MeasuredGraph,
  chosen: readonly Scenario[],
): Promise<WorkPairs[]> {
  const gateway = { target: now.target(TURNS), graph, file: join(directory, 'turns.jsonl') };
  const rows: WorkPairs[] = [];
  for (const scenario of chosen) rows.push(await measureRecordingShare(scenario, gateway, options));
  return rows;
}

async function compareLiveQueries(
  comparing: Comparing,
  graph: MeasuredGraph,
  { requestCount }: MeasuredSubgraphs,
): Promise<WorkPairs[]> {
  const { options } = comparing;
  if (options.against === undefined || !isChosen(LIVE_QUERIES, options)) return [];
  return withBoth(comparing, ['live-gateway.mjs', 'live-gateway.mjs'], graph, async (before, now) => [
    await compare(pairedLiveQueries(LIVE_QUERIES, before, now, requestCount), comparing.options),
  ]);
}

async function withBoth<Result>(
  { before, now }: Comparing,
  [former, latter]: readonly [before: string, now: string],
  graph: MeasuredGraph,
  use: (before: TargetProcess, now: TargetProcess) => Promise<Result>,
): Promise<Result> {
  const other = await startTarget(before.target(former), graph);
  try {
    const own = await startTarget(now.target(latter), graph);
    try {
      return await use(other, own);
    } finally {
      await own.stop();
    }
  } finally {
    await other.stop();
  }
}

/** Each has subgraphs of its own: what is published is heard by the clients of both otherwise. */
async function compareSubscribers({ before, now, directory, options }: Comparing): Promise<WorkPairs[]> {
  if (!isChosen(SUBSCRIBERS, options)) return [];
  const program = 'subscribers-gateway.mjs';
  const other = await startSubscribedSide(before.target(program), join(directory, 'before.graphql'));
  try {
    const own = await startSubscribedSide(now.target(program), join(directory, 'now.graphql'));
    try {
      return [await compare({ name: SUBSCRIBERS, unit: 'delivery', before: other, now: own }, options)];
    } finally {
      await own.stop();
    }
  } finally {
    await other.stop();
  }
}

async function compare(work: PairedWork, options: PairedBenchmarkOptions): Promise<WorkPairs> {
  options.begin?.(work.name);
  const pairs = await takePairs(work, options);
  options.print(`measured ${work.name}: ratio ${compareTurns(pairs).ratio.toFixed(3)}`);
  return { name: work.name, unit: work.unit, pairs };
}
