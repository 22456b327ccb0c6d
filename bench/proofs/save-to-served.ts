import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { composeServices } from '@apollo/composition';
import { freePort, proof } from '@trellis/testkit';
import { parse } from 'graphql';
import { largeGraph } from '../src/supergraphs/large-graph.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
/** As `npm run dev` starts it. */
const program = ['--conditions=trellis-source', '--import', 'tsx', join(repository, 'cli/src/main.ts')];

/** 400 types are promised; the larger graph shows that what takes longer to prove does not hold up what serves. */
const PROMISED = { subgraphs: 8, typesPerSubgraph: 50, operations: 0 };
const LARGER = { subgraphs: 24, typesPerSubgraph: 50, operations: 0 };
const saves = { small: { promised: 8, larger: 1 }, full: { promised: 30, larger: 5 } };

/** From a save to the response that has the new field. */
const PROMISED_MS = 300;
/**
 * What composing the same graph from nothing takes in a warm process, on a machine that the promise is about. It is measured after each
 * save: a machine that takes longer has as many times longer.
 */
const REFERENCE_COMPOSING_MS = 150;
/** The small run shares its machine with other tests: each step of a save waits for a processor, where composing waits for one once. */
const leeway = { small: 3, full: 1 };
/** Saves whose code is not compiled yet. */
const WARM_UP = 4;
const DEADLINE_MS = 60_000;
const LOOK_AGAIN_MS = 10;

proof({
  name: 'save-to-served',
  description:
    'trellis dev serves a saved schema of 400 types within 300 ms, or within twice what composing them from nothing takes in the same run, and a larger graph before it is proved',
  async run({ size }) {
    const promised = await measure(PROMISED, saves[size].promised);
    const larger = await measure(LARGER, saves[size].larger);
    const servedMs = median(promised.servedMs);
    const composingMs = median(promised.controlMs);
    const allowedMs = leeway[size] * PROMISED_MS * Math.max(1, composingMs / REFERENCE_COMPOSING_MS);
    return {
      passed: servedMs < allowedMs && promised.isServedFirst && larger.isServedFirst,
      figures: {
        types: PROMISED.subgraphs * PROMISED.typesPerSubgraph,
        saves: promised.servedMs.length,
        servedMs: Math.round(servedMs),
        allowedMs: Math.round(allowedMs),
        slowestMs: Math.round(Math.max(...promised.servedMs)),
        composingMs: Math.round(composingMs),
        ratio: Number((servedMs / composingMs).toFixed(2)),
        largerTypes: LARGER.subgraphs * LARGER.typesPerSubgraph,
        largerServedMs: Math.round(median(larger.servedMs)),
        largerProvedMs: Math.round(median(larger.provedMs)),
        servedBeforeProved: String(promised.isServedFirst && larger.isServedFirst),
      },
    };
  },
});

interface Measured {
  /** From the save to a response with the new field. */
  readonly servedMs: readonly number[];
  /** From the save to the line that says so. */
  readonly provedMs: readonly number[];
  /** Composing the same graph, in this process, between the saves. */
  readonly controlMs: readonly number[];
  /** Whether each response came before the line of the proof. */
  readonly isServedFirst: boolean;
}

async function measure(size: typeof PROMISED, count: number): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'save-to-served-'));
  const schemas = { ...largeGraph(size) };
  const dev = await startDev(folder, schemas);
  const all = { servedMs: [0].slice(1), provedMs: [0].slice(1), controlMs: [0].slice(1) };
  let isServedFirst = true;
  try {
    for (let save = 0; save < count + WARM_UP; save += 1) {
      schemas['s1'] = withField(schemas['s1'] ?? '', `saved${save}`);
      const proofs = dev.proofs();
      const startedAt = performance.now();
      await writeFile(join(folder, 's1.graphql'), schemas['s1']);
      await dev.untilServed(`{ saved${save} }`);
      const servedMs = performance.now() - startedAt;
      isServedFirst &&= dev.proofs() === proofs;
      await until(() => dev.proofs() > proofs);
      const provedMs = performance.now() - startedAt;
      const controlMs = composeFromNothing(schemas);
      if (save < WARM_UP) continue;
      all.servedMs.push(servedMs);
      all.provedMs.push(provedMs);
      all.controlMs.push(controlMs);
    }
    return { ...all, isServedFirst };
  } finally {
    await dev.stop();
    await rm(folder, { recursive: true });
  }
}

/** In the place of the one before: the graph stays as large as it is. */
function withField(sdl: string, name: string): string {
  return sdl.replace(/type Query \{ (?:saved\d+: Int )?/, `type Query { ${name}: Int `);
}

function composeFromNothing(schemas: Readonly<Record<string, string>>): number {
  const startedAt = performance.now();
  const services = Object.entries(schemas).map(([name, sdl]) => ({ name, typeDefs: parse(sdl) }));
  const { errors } = composeServices(services, { runSatisfiability: false });
  if (errors) throw errors[0] ?? new Error('It does not compose.');
  return performance.now() - startedAt;
}

interface RunningDev {
  /** How often it has said that every query has a plan. */
  readonly proofs: () => number;
  readonly untilServed: (query: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

async function startDev(folder: string, schemas: Readonly<Record<string, string>>): Promise<RunningDev> {
  const port = await freePort();
  const own = Object.keys(schemas).flatMap((name) => ['--subgraph', `${name}=${join(folder, name)}.graphql`]);
  for (const [name, sdl] of Object.entries(schemas)) await writeFile(join(folder, `${name}.graphql`), sdl);
  const child = spawn(process.execPath, [...program, 'dev', ...own, '--port', String(port)], {
    cwd: repository,
    env: { ...process.env, DATA_DIR: folder, NODE_ENV: 'development' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await until(() => printed.includes('ready at'));
  const url = `http://127.0.0.1:${port}/graphql`;
  return {
    proofs: () => printed.split('every query has a plan').length - 1,
    untilServed: (query) => until(async () => !(await ask(url, query)).includes('errors')),
    stop: () => stop(child),
  };
}

async function ask(url: string, query: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
  return response.text();
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`It was not so within ${DEADLINE_MS / 1_000} s.`);
    await pause(LOOK_AGAIN_MS);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
