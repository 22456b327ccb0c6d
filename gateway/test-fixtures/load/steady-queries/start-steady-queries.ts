import { forkProgram } from '../forked-program.ts';
import type { LoadReport } from '../open-loop.ts';
import type { QueriedSubgraph, SteadyQueriesRequest } from './messages.ts';

/** A subgraph and those who query it, in a process that does nothing else. */
export interface SteadyQueries {
  readonly subgraph: QueriedSubgraph;
  /** One at a time. */
  measure(request: SteadyQueriesRequest): Promise<LoadReport>;
  stop(): void;
}

const REPLY_WITHIN_MS = 60_000;
/** Threads that collect garbage beside it would take the processors from what is measured. */
const FLAGS = ['--single-threaded-gc'];

/** Starts the subgraph on a free port. */
export async function startSteadyQueries(): Promise<SteadyQueries> {
  const program = forkProgram<SteadyQueriesRequest>(new URL('program.ts', import.meta.url), [], FLAGS);
  return {
    subgraph: (await program.said(REPLY_WITHIN_MS)) as QueriedSubgraph, // what it says first
    measure: async (request) =>
      (await program.ask(request, REPLY_WITHIN_MS + request.durationMs)) as LoadReport, // it says nothing else
    stop: program.stop,
  };
}
