import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  compareCaches,
  formatBenchmark,
  measureSubscribers,
  runAuthBenchmark,
  runBenchmark,
  runPairedAuthBenchmark,
  runPairedBenchmark,
} from '@trellis/bench';
import { EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { parseFlags } from '@trellis/runtime/parse-flags';
import { createProgress, createTerminal, createWorkLines, type WorkLines } from 'trellis/terminal';
import { createBenchReport } from './measure/bench-report.ts';
import { describeMachine, writeSection } from './measure/performance-page.ts';
import { runTool } from './programs/run-program.ts';

const USAGE = `npm run bench -- [--section gateway|auth] [--rounds N] [--share 0.2] [--target NAME]… [--scenario TEXT] [--write]
npm run bench -- --subscribers N [--events N] [--target NAME]…
npm run bench -- --against DIR [--section gateway|auth] [--scenario TEXT] [--rounds N] [--processes N] [--warm-up-ms MS] [--turn-ms MS]
npm run bench -- --recorded [--one-process] [--scenario TEXT] [--rounds N] [--processes N] [--warm-up-ms MS] [--turn-ms MS]
npm run bench -- --caches
With --json the result is one JSON document on the standard output, instead of tables in Markdown.`;
/** How many subscribe to one topic unless another number is said. */
const SUBSCRIBERS = 1_000;
const peers = fileURLToPath(new URL('../bench/peers/', import.meta.url));

/** Where one is missing, what is installed is of an earlier state. */
const PEERS_OF_LATE = ['oidc-provider', '@graphql-mesh/transport-ws'];

/** The peers have dependencies that the product must not have: so they live outside its workspace. */
function installPeers(): void {
  if (PEERS_OF_LATE.every((name) => existsSync(`${peers}node_modules/${name}`))) return;
  process.stderr.write('Installing what is compared with …\n');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock'];
  const { status } = spawnSync('npm', args, { cwd: peers, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The peers could not be installed; the reason stands above.');
}

async function compile(): Promise<void> {
  const { status, output } = await runTool('tsc', ['-b', 'gateway', 'auth-server']);
  if (status !== 0) throw new Error(`The gateway or the auth-server does not compile.\n${output}`);
}

const { values } = readFlags(() =>
  parseFlags({
    options: {
      section: { type: 'string', default: '' },
      rounds: { type: 'string', default: '5' },
      share: { type: 'string', default: '1' },
      target: { type: 'string', multiple: true, default: [] },
      scenario: { type: 'string', default: '' },
      write: { type: 'boolean', default: false },
      subscribers: { type: 'string' },
      events: { type: 'string', default: '100' },
      against: { type: 'string' },
      'warm-up-ms': { type: 'string', default: '3000' },
      processes: { type: 'string', default: '3' },
      'turn-ms': { type: 'string', default: '1000' },
      recorded: { type: 'boolean', default: false },
      'one-process': { type: 'boolean', default: false },
      caches: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }),
);
const report = createBenchReport(values.json, (text) => void process.stdout.write(text));
const progress = createProgress(createTerminal(process.stderr, process.env), { isTransient: true });

function readFlags<Flags>(read: () => Flags): Flags {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    return process.exit(EXIT_USAGE);
  }
}

async function benchSubscribers(clients: number, { print, begin }: WorkLines): Promise<void> {
  const costs = await measureSubscribers({
    clients,
    events: Number(values.events),
    targets: values.target,
    print,
    begin,
  });
  report.add('subscribers', costs);
}

async function benchRequests(rounds: number, { print, begin }: WorkLines): Promise<void> {
  const { target: targets, scenario } = values;
  const share = Number(values.share);
  const result = await runBenchmark({ rounds, share, targets, scenario, print, begin });
  if (!values.write) return report.add('requests', result);
  writeSection('bench', `${rounds} rounds, on ${describeMachine()}.\n\n${formatBenchmark(result)}\n`);
}

/** Where a scenario is chosen, that one alone. */
async function benchGateway(rounds: number, lines: WorkLines): Promise<void> {
  await benchRequests(rounds, lines);
  if (values.scenario === '') await benchSubscribers(SUBSCRIBERS, lines);
}

async function benchAgainst(against: string | undefined, { print, begin }: WorkLines): Promise<void> {
  await compile();
  const { section } = values;
  const scenario = against === undefined ? values.scenario || 'single fetch' : values.scenario;
  const pairs = Number(values.rounds);
  const length = { pairs, warmUpCpuMs: Number(values['warm-up-ms']), turnCpuMs: Number(values['turn-ms']) };
  const inOneProcess = against === undefined && values['one-process'];
  const processes = Number(values.processes);
  const options = { against, scenario, inOneProcess, ...length, processes, print, begin };
  const isAuth = section === 'auth' && against !== undefined;
  const compared = isAuth ? runPairedAuthBenchmark({ ...options, against }) : runPairedBenchmark(options);
  report.add('compared', await compared);
}

async function benchCaches(): Promise<void> {
  report.add('caches', compareCaches());
}

async function bench(lines: WorkLines): Promise<void> {
  if (values.against !== undefined || values.recorded) return benchAgainst(values.against, lines);
  installPeers();
  await compile();
  const { subscribers, section, scenario } = values;
  const rounds = Number(values.rounds);
  if (subscribers !== undefined) return benchSubscribers(Number(subscribers), lines);
  if (section !== 'auth') await benchGateway(rounds, lines);
  if (section !== 'gateway') report.add('tokens', await runAuthBenchmark({ rounds, scenario, ...lines }));
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else {
  const lines = createWorkLines(progress, 'Preparing');
  await (values.caches ? benchCaches() : bench(lines)).finally(() => lines.end());
  report.end();
}
