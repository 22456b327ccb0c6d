import { forkProgram } from '../forked-program.ts';
import type { BurstReport, BurstRequest } from './messages.ts';

/** Sends bursts from a process of its own. */
export interface BurstSender {
  /** One at a time. @returns when all are answered, or cut off */
  send(request: BurstRequest): Promise<BurstReport>;
  stop(): void;
}

const START_WITHIN_MS = 60_000;
const END_WITHIN_MS = 120_000;

/** Starts the process that sends. */
export async function startBurstSender(): Promise<BurstSender> {
  const program = forkProgram<BurstRequest>(new URL('program.ts', import.meta.url));
  await program.said(START_WITHIN_MS);
  return {
    send: async (request) => (await program.ask(request, END_WITHIN_MS)) as BurstReport, // it says nothing else
    stop: program.stop,
  };
}
