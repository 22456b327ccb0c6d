import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  compareCaches,
  formatHitRatios,
  formatSubscribers,
  measureSubscribers,
  runAuthBenchmark,
  runBenchmark,
  runPairedAuthBenchmark,
  runPairedBenchmark,
} from '@trellis/bench';
import { describeMachine, writeSection } from './measure/performance-page.ts';
import { runTool } from './programs/run-program.ts';

const USAGE = `npm run bench -- [--section gateway|auth] [--rounds N] [--share 0.2] [--target NAME]… [--scenario TEXT] [--write]
npm run bench -- --subscribers N [--events N] [--target NAME]…
npm run bench -- --against DIR [--section gateway|auth] [--scenario TEXT] [--rounds N] [--processes N] [--warm-up-ms MS] [--turn-ms MS]
npm run bench -- --caches`;
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

const { values } = parseArgs({
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
    caches: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stderr.write(`${line}\n`);

async function benchSubscribers(clients: number): Promise<void> {
  const costs = await measureSubscribers({
    clients,
    events: Number(values.events),
    targets: values.target,
    print,
  });
  process.stdout.write(`${formatSubscribers(costs)}\n`);
}

async function benchRequests(rounds: number): Promise<void> {
  const { target: targets, scenario } = values;
  const table = await runBenchmark({ rounds, share: Number(values.share), targets, scenario, print });
  if (values.write) writeSection('bench', `${rounds} rounds, on ${describeMachine()}.\n\n${table}\n`);
  else process.stdout.write(`${table}\n`);
}

/** Where a scenario is chosen, that one alone. */
async function benchGateway(rounds: number): Promise<void> {
  await benchRequests(rounds);
  if (values.scenario === '') await benchSubscribers(SUBSCRIBERS);
}

async function benchAgainst(against: string): Promise<void> {
  await compile();
  const { section, scenario } = values;
  const pairs = Number(values.rounds);
  const length = { pairs, warmUpCpuMs: Number(values['warm-up-ms']), turnCpuMs: Number(values['turn-ms']) };
  const options = { against, scenario, ...length, processes: Number(values.processes), print };
  const table = await (section === 'auth' ? runPairedAuthBenchmark(options) : runPairedBenchmark(options));
  process.stdout.write(`${table}\n`);
}

async function bench(): Promise<void> {
  if (values.against !== undefined) return benchAgainst(values.against);
  installPeers();
  await compile();
  const { subscribers, section, scenario } = values;
  const rounds = Number(values.rounds);
  if (subscribers !== undefined) return benchSubscribers(Number(subscribers));
  if (section !== 'auth') await benchGateway(rounds);
  if (section !== 'gateway') process.stdout.write(`${await runAuthBenchmark({ rounds, scenario, print })}\n`);
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else if (values.caches) process.stdout.write(`${formatHitRatios(compareCaches())}\n`);
else await bench();
