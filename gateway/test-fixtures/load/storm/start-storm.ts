import { constants, setPriority } from 'node:os';
import { forkProgram } from '../forked-program.ts';
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

const REPLY_WITHIN_MS = 60_000;

/** Starts the subgraphs of the news desk on free ports. They give way to what is measured, as if they ran on other machines. */
export async function startStorm(): Promise<Storm> {
  const program = forkProgram<StormRequest>(new URL('program.ts', import.meta.url));
  const subgraphs = (await program.said(REPLY_WITHIN_MS)) as readonly StormSubgraph[]; // it says nothing else
  if (program.pid !== undefined) setPriority(program.pid, constants.priority.PRIORITY_LOW);
  return {
    subgraphs,
    async subscribe(request) {
      await program.ask({ kind: 'subscribe', ...request }, REPLY_WITHIN_MS);
    },
    blow: (request) => program.post({ kind: 'blow', ...request }),
    count: async () => (await program.ask({ kind: 'count' }, REPLY_WITHIN_MS)) as EventCounts, // as above
    stop: program.stop,
  };
}
