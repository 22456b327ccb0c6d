import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Behaviour, Listening } from './messages.ts';

/** A subgraph in a process of its own, on a port that stays the same. */
export interface FaultySubgraph {
  readonly url: string;
  behave(how: Behaviour): void;
  /** kill -9. @returns when the process is gone */
  kill(): Promise<void>;
  /** Starts it again. @returns when it listens */
  restart(): Promise<void>;
  /** SIGSTOP: connections are still accepted, and nothing is answered. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
}

const program = fileURLToPath(new URL('./program.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** @param journal path of the file where its mutations are written down */
export async function startFaultySubgraph(journal: string): Promise<FaultySubgraph> {
  let child = start(0, journal);
  const { port } = await listening(child);
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    behave: (how) => void child.send(how),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async restart() {
      child = start(port, journal);
      await listening(child);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

function start(port: number, journal: string): ChildProcess {
  const execArgv = ['--conditions=trellis-source', '--import', loader];
  return fork(program, [String(port), journal], { execArgv, stdio: 'ignore' });
}

async function listening(child: ChildProcess): Promise<Listening> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The subgraph did not start.')));
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [Listening]; // its first message
  ended.catch(() => undefined);
  return message;
}
