import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proof } from '@trellis/testkit';
import { largeGraph, largeRecord } from '../src/supergraphs/large-graph.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const inRepository = (path: string): string => join(repository, path);

/** The small run shares its machine with other tests, runs from sources, and looks at the verdict alone. */
const sizes = {
  small: { graph: { subgraphs: 4, typesPerSubgraph: 8, operations: 100 }, maxS: 120, maxMb: 1_000 },
  full: { graph: { subgraphs: 50, typesPerSubgraph: 40, operations: 5_000 }, maxS: 10, maxMb: 1_000 },
};

const fromSources = ['--conditions=trellis-source', '--import', 'tsx', inRepository('cli/src/main.ts')];
const compiled = [inRepository('cli/dist/main.js')];

/** A check of one changed subgraph among many, from a cold process. */
proof({
  name: 'check-at-size',
  description:
    'a check of one changed subgraph among 50, with 2,000 types and 5,000 recorded operations, takes under 10 s from a cold process and 1 GB, and composing the four subgraphs of this repository under 1 s',
  async run({ size }) {
    const { graph, maxS, maxMb } = sizes[size];
    const program = size === 'small' ? fromSources : compiled;
    if (size === 'full') await run([inRepository('node_modules/typescript/bin/tsc'), '-b']);
    const folder = await mkdtemp(join(tmpdir(), 'check-at-size-'));
    try {
      await writeGraph(folder, graph);
      const at = (name: string): string => join(folder, name);
      const config = ['--config', at('supergraph.yaml')];
      await run([
        ...program,
        'compose',
        ...config,
        '--release',
        at('release.json'),
        '--output',
        at('supergraph.graphql'),
      ]);
      const changed = ['--subgraph', 's1', '--schema', at('next.graphql')];
      const recorded = ['--operations', at('operations.jsonl')];
      const against = ['--against', at('release.json'), '--format', 'json'];
      const check = await run([...program, 'check', ...config, ...against, ...changed, ...recorded]);
      const { changes, window } = JSON.parse(check.output) as CheckReport;
      const found = changes
        .filter(({ verdict }) => verdict === 'breaking')
        .map(({ code }) => code)
        .toSorted();
      const compose = size === 'full' ? await run([...program, 'compose']) : check;
      return {
        passed:
          found.join() === 'FIELD_BECAME_NULLABLE,NOT_IN_ONE_STEP' &&
          check.wallS < maxS &&
          check.peakMb < maxMb &&
          (size === 'small' || compose.wallS < 1),
        figures: {
          ...graph,
          checkS: check.wallS,
          peakMb: check.peakMb,
          composeFourS: size === 'full' ? compose.wallS : 'not measured',
          planned: window.operations,
          probes: window.probes,
          found: found.join(' '),
        },
      };
    } finally {
      await rm(folder, { recursive: true });
    }
  },
});

interface CheckReport {
  readonly changes: readonly { readonly code: string; readonly verdict: string }[];
  readonly window: { readonly operations: number; readonly probes: number };
}

async function writeGraph(folder: string, size: (typeof sizes)['full']['graph']): Promise<void> {
  const schemas = largeGraph(size);
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const subgraphs = Object.keys(schemas).map(
    (name) => `  ${name}: { routing_url: "http://${name}.example", schema: { file: ${name}.graphql } }`,
  );
  await write('supergraph.yaml', ['subgraphs:', ...subgraphs, ''].join('\n'));
  await Promise.all(Object.entries(schemas).map(([name, sdl]) => write(`${name}.graphql`, sdl)));
  const changed = (schemas['s1'] ?? '')
    .replace(
      'type Viewer @key(fields: "id") { id: ID!',
      'type Viewer @key(fields: "id") { id: ID! added: Int',
    )
    .replace('type S1T5 { id: ID! name: String!', 'type S1T5 { id: ID! name: String');
  await write('next.graphql', changed);
  await write('operations.jsonl', largeRecord(size));
}

interface Finished {
  readonly output: string;
  readonly wallS: number;
  /** The largest resident set that was seen, looked at every 50 ms. */
  readonly peakMb: number;
}

function run(args: readonly string[]): Promise<Finished> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = AbortSignal.timeout(300_000);
  timer.addEventListener('abort', () => child.kill());
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const memory = watchMemory(child.pid);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      const wallS = Math.round(performance.now() - startedAt) / 1_000;
      resolve({ output: Buffer.concat(chunks).toString(), wallS, peakMb: memory.end() });
    });
  });
}

/** Linux's own high-water mark of a process, read while it runs; elsewhere nothing is measured. */
function watchMemory(pid: number | undefined): { readonly end: () => number } {
  let peakKb = 0;
  const look = (): void => {
    try {
      const [, kb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'utf8')) ?? [];
      peakKb = Math.max(peakKb, Number(kb ?? 0));
    } catch {
      // the process has ended, or this is no Linux
    }
  };
  const timer = setInterval(look, 50);
  return {
    end() {
      clearInterval(timer);
      return Math.round(peakKb / 1_024);
    },
  };
}
