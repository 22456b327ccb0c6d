import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BlowRequest, EventCounts, StormRequest, StormSubgraph, SubscribeRequest } from './messages.ts';

/** Subgraphs that publish events, and clients that subscribe to them, in a process of their own. */
export interface Storm {
  readonly subgraphs: readonly StormSubgraph[];
  /** Opens the subscriptions at a gateway. */
  subscribe(request: Omit<SubscribeRequest, 'kind'>): Promise<void>;
  blow(request: Omit<BlowRequest, 'kind'>): void;
  count(): Promise<EventCounts>;
  stop(): void;
}

const program = fileURLToPath(new URL('./program.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const REPLY_WITHIN_MS = 60_000;

/** Starts the subgraphs of the news desk on free ports. They give way to what is measured, as if they ran on other machines. */
export async function startStorm(): Promise<Storm> {
  const child = fork(program, {
    execArgv: ['--conditions=trellis-source', '--import', loader],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const send = (request: StormRequest): void => void child.send(request);
  const subgraphs = (await reply(child)) as readonly StormSubgraph[]; // it says nothing else
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return {
    subgraphs,
    async subscribe(request) {
      send({ kind: 'subscribe', ...request });
      await reply(child);
    },
    blow: (request) => send({ kind: 'blow', ...request }),
    async count() {
      send({ kind: 'count' });
      return (await reply(child)) as EventCounts; // as above
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

async function reply(child: ChildProcess): Promise<unknown> {
  const [message] = (await once(child, 'message', { signal: AbortSignal.timeout(REPLY_WITHIN_MS) })) as [
    unknown,
  ];
  return message;
}
