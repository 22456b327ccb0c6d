import { createPool, type Pool } from '@trellis/postgres';
import type { DatabaseUrls, LoadedService } from './load-content.ts';
import type { MeasuredSubgraph, SentStatement } from './measured-subgraph.ts';
import { startMeasuredSubgraphs } from './measured-subgraphs.ts';
import type { PromisedMs, Scenario } from './scenario.ts';
import { chooseScenarios } from './scenarios.ts';
import { searchScenarios } from './search-scenarios.ts';

/** What reading something costs at the subgraph. */
export interface Measurement {
  readonly name: string;
  readonly service: LoadedService;
  /** SQL statements for one request. */
  readonly statements: number;
  /** Milliseconds from the request to the whole response, over HTTP on the loopback address. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What is promised of these two. */
  readonly promisedMs: PromisedMs;
  /** Milliseconds of these that the database took: the median of five executions. */
  readonly databaseMs: number;
  /** EXPLAIN ANALYZE of each statement. */
  readonly plans: readonly string[];
}

/** What {@link measureContent} does. */
export interface MeasureOptions {
  readonly databaseUrls: DatabaseUrls;
  /** Requests of each kind, after as many as a tenth of them that are not counted. */
  readonly requests: number;
  readonly print: (line: string) => void;
}

/** Whether a measurement is as promised, or `leeway` times as slow. */
export function isWithinBound({ p50Ms, p99Ms, promisedMs, statements }: Measurement, leeway = 1): boolean {
  return statements === 1 && p50Ms <= promisedMs.p50 * leeway && p99Ms <= promisedMs.p99 * leeway;
}

/** Connections from which the scenarios are chosen; large tables are counted. */
const CHOOSING_TIMEOUT_MS = 120_000;

/** Executions of a statement of which the median counts. */
const EXECUTIONS = 5;

/** Measures existing content, one request after the other. Each kind is asked in turn, so that none has the caches for itself. */
export async function measureContent(options: MeasureOptions): Promise<readonly Measurement[]> {
  const scenarios = await choose(options.databaseUrls);
  const subgraphs = await startMeasuredSubgraphs(options.databaseUrls);
  try {
    const times = new Map(scenarios.map(({ name }): [string, number[]] => [name, []]));
    const warmUp = Math.ceil(options.requests / 10);
    for (let round = -warmUp; round < options.requests; round += 1) {
      for (const { name, service, question } of scenarios) {
        const startedAt = performance.now();
        await subgraphs[service].ask(question);
        if (round >= 0) times.get(name)?.push(performance.now() - startedAt);
      }
    }
    const measurements: Measurement[] = [];
    for (const one of scenarios)
      measurements.push(await describe(one, subgraphs[one.service], times, options));
    return measurements;
  } finally {
    await Promise.all(Object.values(subgraphs).map((subgraph) => subgraph.close()));
  }
}

async function choose(databaseUrls: DatabaseUrls): Promise<readonly Scenario[]> {
  const open = (schema: LoadedService): Pool =>
    createPool({ connectionString: databaseUrls[schema], schema, statementTimeoutMs: CHOOSING_TIMEOUT_MS });
  const content = { users: open('users'), posts: open('posts'), comments: open('comments') };
  const search = open('search');
  try {
    return [...(await chooseScenarios(content)), ...(await searchScenarios(search))];
  } finally {
    await Promise.all([...Object.values(content), search].map((pool) => pool.end()));
  }
}

async function describe(
  { name, service, question, promisedMs }: Scenario,
  subgraph: MeasuredSubgraph,
  times: ReadonlyMap<string, readonly number[]>,
  { print }: MeasureOptions,
): Promise<Measurement> {
  const sorted = (times.get(name) ?? []).toSorted((left, right) => left - right);
  const [p50Ms, p99Ms] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  print(`${name}: p50 ${p50Ms} ms, p99 ${p99Ms} ms`);
  return { name, service, p50Ms, p99Ms, promisedMs, ...(await explain(subgraph, question)) };
}

/** The value that a share of all does not exceed, to a tenth of a millisecond. */
function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return Math.round(value * 10) / 10;
}

/** Asks once more, and has the database explain what it was sent. */
async function explain(
  subgraph: MeasuredSubgraph,
  question: Scenario['question'],
): Promise<Pick<Measurement, 'statements' | 'databaseMs' | 'plans'>> {
  subgraph.takeStatements();
  await subgraph.ask(question);
  const sent = subgraph.takeStatements();
  const plans: string[] = [];
  let databaseMs = 0;
  for (const statement of sent) {
    plans.push(await planOf(subgraph.pool, statement));
    databaseMs += await medianMsOf(subgraph.pool, statement);
  }
  return { statements: sent.length, databaseMs: Math.round(databaseMs * 100) / 100, plans };
}

async function medianMsOf(pool: Pool, { text, values }: SentStatement): Promise<number> {
  const times: number[] = [];
  for (let execution = 0; execution < EXECUTIONS; execution += 1) {
    const { rows } = await pool.query<Explained>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, [
      ...values,
    ]);
    const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
    times.push((explained?.['Planning Time'] ?? 0) + (explained?.['Execution Time'] ?? 0));
  }
  return times.toSorted((left, right) => left - right)[Math.floor(EXECUTIONS / 2)] ?? 0;
}

interface Explained {
  readonly 'QUERY PLAN': readonly Record<'Planning Time' | 'Execution Time', number>[];
}

async function planOf(pool: Pool, { text, values }: SentStatement): Promise<string> {
  const { rows } = await pool.query<Record<'QUERY PLAN', string>>(
    `EXPLAIN (ANALYZE, BUFFERS, SUMMARY OFF) ${text}`,
    [...values],
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
