import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { eventually } from '../harness/deadline.ts';
import {
  choosePorts,
  startPlatform,
  type PlatformOptions,
  type PlatformProcess,
} from '../harness/platform-process.ts';
import type { CountedProcess } from '../harness/process-census.ts';
import { startProgram, type RunningProgram } from '../harness/running-program.ts';
import { signIn } from '../harness/sign-in.ts';

/** Longer than a guard takes to end a database server that does not want to. */
const ORPHAN_DEADLINE_MS = 15_000;

/** What is killed: the platform's process alone, all of the run at once, or the platform while it starts. */
const victims = ['platform', 'everything', 'starting'] as const;

const everything = `{
  users(limit: 100) { id name role createdAt }
  posts(first: 100) { id title body updatedAt commentCount comments(limit: 3) { id body } }
}`;

/** Kills the platform again and again: nothing is left running, and the next start finds the same data. */
proof({
  name: 'platform-kill',
  description: 'kill -9 of the platform leaves no process behind, and the next start finds the same data',
  async run({ size, seed }) {
    const rounds = size === 'full' ? 20 : 3;
    const directory = createTemporaryDirectory();
    const options = { dataDirectory: join(directory.path, 'data'), ports: await choosePorts() };
    try {
      const expected = await startAndDigest(options);
      const outcomes: Round[] = [];
      for (let round = 0; round < rounds; round += 1)
        outcomes.push(await killAndRestart(options, round, seed));
      const orphans = outcomes.reduce((sum, outcome) => sum + outcome.orphans, 0);
      const changed = outcomes.filter(({ digest }) => digest !== expected).length;
      return {
        passed: orphans === 0 && changed === 0,
        figures: {
          rounds,
          orphans,
          startsWithOtherData: changed,
          slowestRestartMs: Math.max(...outcomes.map(({ readyAfterMs }) => readyAfterMs)),
        },
      };
    } finally {
      directory.remove();
    }
  },
});

interface Round {
  readonly orphans: number;
  readonly digest: string;
  readonly readyAfterMs: number;
}

async function startAndDigest(options: PlatformOptions): Promise<string> {
  const platform = await startPlatform(options);
  const digest = await digestOf(platform);
  await platform.stop();
  return digest;
}

async function killAndRestart(options: PlatformOptions, round: number, seed: number): Promise<Round> {
  const victim = victims[round % victims.length] ?? 'platform';
  const orphans = await killAndCount(options, victim, (seed * 7919 + round * 104_729) % 1_500);
  const again = await startPlatform(options);
  const digest = await digestOf(again);
  await again.stop();
  return { orphans, digest, readyAfterMs: again.readyAfterMs };
}

/** @param waitMs until the kill; counted from the ready line, or from the start for one that never becomes ready */
async function killAndCount(
  options: PlatformOptions,
  victim: (typeof victims)[number],
  waitMs: number,
): Promise<number> {
  const program = victim === 'starting' ? startOnly(options) : await startPlatform(options);
  await delay(waitMs);
  const pids = victim === 'everything' ? program.processes().map(({ pid }) => pid) : [program.pid];
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  const left = await leftOver(program);
  await program.ended(1_000);
  return left.length;
}

function startOnly({ dataDirectory, ports }: PlatformOptions): RunningProgram {
  return startProgram('start', { dataDirectory, environment: { DATA_DIR: dataDirectory, ...ports } });
}

async function leftOver(program: RunningProgram): Promise<readonly CountedProcess[]> {
  const count = (): Promise<readonly CountedProcess[]> => Promise.resolve(program.processes());
  return eventually(count, (processes) => processes.length === 0, ORPHAN_DEADLINE_MS).catch(count);
}

async function digestOf({ addresses }: PlatformProcess): Promise<string> {
  const { access_token: token } = await signIn(addresses.issuer);
  const data = dataOf(await askGraph(addresses.graph, { query: everything, token }));
  return createHash('sha256').update(JSON.stringify(data)).digest('hex');
}
