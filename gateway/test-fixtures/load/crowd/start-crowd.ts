import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CrowdReport, CrowdRequest } from './messages.ts';

/** Clients in a process of their own. */
export interface Crowd {
  /** One request at a time. Rejects when it is not done in five minutes. @returns how the crowd is then */
  ask(request: CrowdRequest): Promise<CrowdReport>;
  stop(): void;
}

const program = fileURLToPath(new URL('./program.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

const RESPONSES_WITHIN_MS = 300_000;

/** @param url the address of the gateway's WebSockets */
export function startCrowd(url: string): Crowd {
  const child = fork(program, [url], {
    execArgv: ['--conditions=trellis-source', '--import', loader],
    stdio: 'ignore',
  });
  return {
    async ask(request) {
      child.send(request);
      const signal = AbortSignal.timeout(RESPONSES_WITHIN_MS);
      const [report] = (await once(child, 'message', { signal })) as [CrowdReport]; // it says nothing else
      return report;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
