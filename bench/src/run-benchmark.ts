import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differingResponses, type Difference } from './equal-responses.ts';
import { startSubgraphs } from './measured-subgraphs.ts';
import { measure, medianOf, type Measurement, type Row } from './measure.ts';
import { judgeGoals, type JudgedGoal } from './goals.ts';
import { scenarios as allScenarios, type Scenario } from './scenarios.ts';
import { writeSupergraph } from './supergraph-file.ts';
import { startTarget, type TargetProcess } from './target-process.ts';
import {
  ourGateway,
  peerGateways,
  type GatewayBuild,
  type MeasuredGraph,
  type Target,
} from './targets/index.ts';

/** What to measure. */
export interface BenchmarkOptions {
  /** Rounds of each scenario; targets take turns within a round. @default 5 */
  readonly rounds: number;
  /** Requests of a round as a share of what a scenario says, above 0 up to 1: short rounds are noisier. @default 1 */
  readonly share: number;
  /**
   * Processor time that a target has for a scenario before it is measured, milliseconds; one round at least. Code that is not
   * compiled yet is not what is compared: servers run for weeks. @default 5_000
   */
  readonly warmUpCpuMs?: number;
  /** Only targets of these names; empty means all. */
  readonly targets: readonly string[];
  /** Only scenarios whose name contains this text. */
  readonly scenario: string;
  /** How our gateway runs. @default compiled */
  readonly build?: GatewayBuild;
  /** Prints a line of progress. */
  readonly print: (line: string) => void;
  /** Shows what is measured from now on. */
  readonly begin?: (name: string) => void;
}

/** What was measured. */
export interface BenchmarkResult {
  readonly rows: readonly Row[];
  /** Which goals are met. */
  readonly goals: readonly JudgedGoal[];
}

/**
 * Starts the subgraphs and the targets, checks that all answer alike, then measures them in turns.
 *
 * @throws Error when our response is the one that differs, or is an error
 */
export async function runBenchmark(options: BenchmarkOptions): Promise<BenchmarkResult> {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  const subgraphs = await startSubgraphs();
  const graph = { supergraphFile: join(directory, 'supergraph.graphql'), subgraphUrls: subgraphs.urls };
  writeSupergraph(graph.supergraphFile, subgraphs.urls);
  const running = await startTargets(chosenTargets(options), graph, options.print);
  try {
    const chosen = allScenarios
      .filter(({ name }) => name.includes(options.scenario))
      .map((scenario) => ({
        ...scenario,
        requests: Math.ceil(scenario.requests * options.share),
        compared: Math.ceil((scenario.compared ?? 1) * options.share),
      }));
    const scenarios = await leaveOutDiffering(running, chosen, options.print);
    const rows = await measureAll(running, scenarios, subgraphs.requestCount, options);
    return { rows, goals: judgeGoals(rows) };
  } finally {
    await Promise.all(running.map((target) => target.stop()));
    subgraphs.stop();
    await rm(directory, { recursive: true });
  }
}

function chosenTargets(options: BenchmarkOptions): readonly Target[] {
  const all = [ourGateway(options.build ?? 'compiled'), ...peerGateways];
  return all.filter(({ name }) => options.targets.length === 0 || options.targets.includes(name));
}

/** A peer that does not start here is named and left out; ours must start. */
async function startTargets(
  chosen: readonly Target[],
  graph: MeasuredGraph,
  print: (line: string) => void,
): Promise<TargetProcess[]> {
  const running: TargetProcess[] = [];
  for (const target of chosen) {
    try {
      running.push(await startTarget(target, graph));
      print(`started ${target.name}`);
    } catch (error) {
      if (target.name === 'trellis') throw error;
      print(`left out ${String(error)}`);
    }
  }
  return running;
}

/**
 * What is not equal is not compared: such a target is named and left out of the scenario.
 *
 * @throws Error when ours is the one that differs from the others
 */
async function leaveOutDiffering(
  running: readonly TargetProcess[],
  scenarios: readonly Scenario[],
  print: (line: string) => void,
): Promise<Scenario[]> {
  const differences = await differingResponses(running, scenarios);
  for (const { scenario, target, kind } of differences)
    print(`${scenario}: left out ${target}, which ${kind}`);
  const others = running.length - 1;
  return scenarios.map((scenario) => {
    const differing = differences.filter((difference) => difference.scenario === scenario.name);
    if (!scenario.whole && others > 1 && differing.length === others)
      throw new Error(`No target answers "${scenario.name}" as ours does.`);
    return without(scenario, differing);
  });
}

function without(scenario: Scenario, differing: readonly Difference[]): Scenario {
  return { ...scenario, without: [...(scenario.without ?? []), ...differing.map(({ target }) => target)] };
}

async function measureAll(
  running: readonly TargetProcess[],
  scenarios: readonly Scenario[],
  countCalls: () => Promise<number>,
  options: BenchmarkOptions,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const scenario of scenarios) {
    options.begin?.(scenario.name);
    const measured = await measureScenario(running, scenario, countCalls, options);
    for (const [target, list] of measured)
      rows.push({ scenario: scenario.name, target, figures: medianOf(list) });
    options.print(`measured ${scenario.name}: ${summarize(measured)}`);
  }
  return rows;
}

/** A peer that fails under the load is named and left out; ours must not. */
async function measureScenario(
  running: readonly TargetProcess[],
  scenario: Scenario,
  countCalls: () => Promise<number>,
  { rounds, warmUpCpuMs = 5_000, print }: BenchmarkOptions,
): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const measured = new Map<TargetProcess, Measurement[]>();
  for (const target of running) if (!scenario.without?.includes(target.name)) measured.set(target, []);
  for (let round = 0; round <= rounds; round++) {
    const turns = [...measured];
    for (const [target, list] of round % 2 === 0 ? turns : turns.toReversed()) {
      try {
        if (round === 0) await warmUp(target, scenario, warmUpCpuMs, countCalls);
        else list.push(await measure(target, scenario, round, countCalls));
      } catch (error) {
        if (target.name === 'trellis') throw error;
        print(`${scenario.name}: left out ${target.name}, which failed: ${String(error)}`);
        measured.delete(target);
      }
    }
  }
  return new Map([...measured].map(([{ name }, list]) => [name, list]));
}

async function warmUp(
  target: TargetProcess,
  scenario: Scenario,
  cpuMs: number,
  countCalls: () => Promise<number>,
): Promise<void> {
  const until = target.processorTimeMs() + cpuMs;
  do await measure(target, scenario, 0, countCalls);
  while (target.processorTimeMs() < until);
}

function summarize(measured: ReadonlyMap<string, readonly Measurement[]>): string {
  const parts = [...measured].map(
    ([target, list]) => `${target} ${medianOf(list).cpuMsPerRequest.toFixed(3)} ms`,
  );
  return parts.join(', ');
}
