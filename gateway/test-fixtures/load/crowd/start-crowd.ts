import { forkProgram } from '../forked-program.ts';
import type { CrowdReport, CrowdRequest } from './messages.ts';

/** Clients in a process of their own. */
export interface Crowd {
  /** One request at a time. Rejects when it is not done in five minutes. @returns how the crowd is then */
  ask(request: CrowdRequest): Promise<CrowdReport>;
  stop(): void;
}

const REPLY_WITHIN_MS = 300_000;

/** @param url the address of the gateway's WebSockets */
export function startCrowd(url: string): Crowd {
  const program = forkProgram<CrowdRequest>(new URL('program.ts', import.meta.url), [url]);
  return {
    ask: async (request) => (await program.ask(request, REPLY_WITHIN_MS)) as CrowdReport, // it says nothing else
    stop: program.stop,
  };
}
