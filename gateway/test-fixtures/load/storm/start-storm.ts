import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StormRequest, StormSubgraph } from './messages.ts';

/** Subgraphs that publish events, in a process of their own. */
export interface Storm {
  readonly subgraphs: readonly StormSubgraph[];
  blow(request: StormRequest): void;
  stop(): void;
}

const program = fileURLToPath(new URL('./program.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const START_WITHIN_MS = 60_000;

/** Starts the subgraphs of the news desk on free ports. */
export async function startStorm(): Promise<Storm> {
  const child = fork(program, {
    execArgv: ['--conditions=trellis-source', '--import', loader],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const signal = AbortSignal.timeout(START_WITHIN_MS);
  const [subgraphs] = (await once(child, 'message', { signal })) as [readonly StormSubgraph[]]; // it says nothing else
  return {
    subgraphs,
    blow: (request) => void child.send(request),
    stop: () => void child.kill('SIGKILL'),
  };
}
