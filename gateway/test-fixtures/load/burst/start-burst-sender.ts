import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BurstReport, BurstRequest } from './messages.ts';

/** Sends bursts from a process of its own. */
export interface BurstSender {
  /** One at a time. @returns when all are answered, or cut off */
  send(request: BurstRequest): Promise<BurstReport>;
  stop(): void;
}

const program = fileURLToPath(new URL('./program.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const START_WITHIN_MS = 60_000;
const END_WITHIN_MS = 120_000;

/** Starts the process that sends. */
export async function startBurstSender(): Promise<BurstSender> {
  const child = fork(program, {
    execArgv: ['--conditions=trellis-source', '--import', loader],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message', { signal: AbortSignal.timeout(START_WITHIN_MS) });
  return {
    async send(request) {
      child.send(request);
      const signal = AbortSignal.timeout(END_WITHIN_MS);
      const [report] = (await once(child, 'message', { signal })) as [BurstReport]; // it says nothing else
      return report;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
