import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Walks } from './messages.ts';

const program = fileURLToPath(new URL('./program.ts', import.meta.url));
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** Measures in a process of its own, as what runs tests turns each exported constant into a function that is called. */
export async function measureWalks(): Promise<Walks> {
  const child = fork(program, { execArgv: ['--conditions=trellis-source', '--import', loader] });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The walks were not measured.')));
  try {
    const [walks] = (await Promise.race([once(child, 'message'), ended])) as [Walks]; // its only message
    return walks;
  } finally {
    ended.catch(() => undefined);
    child.kill();
  }
}
