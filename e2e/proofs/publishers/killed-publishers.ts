import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createInterface } from 'node:readline';
import { inheritedEnvironment, root } from '../../harness/running-program.ts';

const PUBLISHER = 'e2e/proofs/publishers/publisher.ts';

const START_DEADLINE_MS = 120_000;
/** Beyond the time that was asked for, until the first record: on a slow machine git takes its time. */
const PATIENCE_MS = 120_000;
/** However slow the machine is, publishers get on: where each of them is killed before it is done, nothing is shown. */
const KILLS_PER_RECORD = 3;

/** Who publishes, where, and for how long. */
export interface Publishers {
  readonly location: string;
  readonly key: string;
  readonly count: number;
  readonly subgraphs: number;
  readonly killEveryMs: number;
  readonly forMs: number;
  /** Further variables of a publisher. @default none */
  readonly environment?: Readonly<Record<string, string>>;
  /** A bare repository whose locks are removed while nothing runs. @default none */
  readonly repository?: string;
}

/** What they did. */
export interface PublishersOutcome {
  readonly kills: number;
  readonly locks: number;
  readonly failures: ReadonlyMap<string, number>;
  /** Ids of records that publishers have seen succeed, by sequence. */
  readonly acknowledged: ReadonlyMap<number, string>;
}

/** Runs publishers that are killed at random moments, each with the programs that it has started, and started again. */
export async function runKilledPublishers(options: Publishers): Promise<PublishersOutcome> {
  const acknowledged = new Map<number, string>();
  const failures = new Map<string, number>();
  const children: ChildProcess[] = [];
  const ready = new Set<number>();
  let [kills, locks, isLocked] = [0, 0, false];
  const note = (index: number, line: string): void => {
    if (line === 'ready') ready.add(index);
    const [kind = '', first = '', second = ''] = line.split(' ');
    if (kind === 'published') acknowledged.set(Number(first), second);
    if (kind === 'failed') failures.set(first, (failures.get(first) ?? 0) + 1);
    if (first === 'STORE_LOCKED') isLocked = true;
  };
  const start = (index: number): void => {
    ready.delete(index);
    children[index] = startPublisher(options, index, (line) => note(index, line));
  };
  for (let index = 0; index < options.count; index += 1) start(index);
  await startedAll(ready, options.count);
  const end = Date.now() + options.forMs;
  while (Date.now() < end || (acknowledged.size === 0 && Date.now() < end + PATIENCE_MS)) {
    await wait(Math.random() * 2 * options.killEveryMs);
    if (kills >= options.count + KILLS_PER_RECORD * acknowledged.size) continue;
    // Who has not begun yet has nothing to lose.
    const index = [...ready][Math.floor(Math.random() * ready.size)];
    if (index === undefined) continue;
    await killGroup(children[index]);
    kills += 1;
    if (isLocked && options.repository !== undefined) {
      // As the message says: when no git runs there.
      await Promise.all(children.map(killGroup));
      locks += removeLocks(options.repository);
      isLocked = false;
      for (let other = 0; other < options.count; other += 1) start(other);
    } else start(index);
  }
  await Promise.all(children.map(killGroup));
  if (options.repository !== undefined) locks += removeLocks(options.repository);
  return { kills, locks, failures, acknowledged };
}

async function startedAll(ready: ReadonlySet<number>, count: number): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS;
  while (ready.size < count && Date.now() < deadline) await wait(100);
}

function startPublisher(
  { location, key, subgraphs, environment }: Publishers,
  index: number,
  note: (line: string) => void,
): ChildProcess {
  const args = [
    '--import',
    'tsx',
    '--conditions=trellis-source',
    PUBLISHER,
    location,
    `s${index % subgraphs}`,
    `p${index}`,
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached: true, // with a group of its own: git ends with it
    env: { ...inheritedEnvironment(), ...environment, TRELLIS_SIGNING_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', note);
  return child;
}

async function killGroup(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}

function removeLocks(repository: string): number {
  const locks = readdirSync(repository, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.lock'),
  );
  for (const lock of locks) rmSync(join(repository, lock));
  return locks.length;
}
