import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { FieldSearch, SearchOutcome } from './recorded-use.ts';

/** Memory of a search; beyond it the thread ends, and the process does not. */
const MAX_HEAP_MB = 512;

/**
 * Searches recorded usage in a thread of its own, which lives for that search: reading months of usage takes seconds of a processor.
 *
 * @param signal ends the thread
 * @throws Error when the thread is ended, or runs out of memory
 */
export async function searchInThread(search: FieldSearch, signal: AbortSignal): Promise<SearchOutcome> {
  if (signal.aborted) throw tookTooLong();
  const worker = new Worker(...programOf(search));
  worker.unref();
  const outcome = new Promise<SearchOutcome>((resolve, reject) => {
    worker.once('message', resolve); // our own program
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The search has ended without a result.')));
    signal.addEventListener('abort', () => reject(tookTooLong()), { once: true });
  });
  return outcome.finally(() => worker.terminate());
}

function tookTooLong(): Error {
  return new Error('The search took too long.');
}

/** From source, the thread needs what runs TypeScript; compiled, nothing. */
function programOf(search: FieldSearch): [URL | string, WorkerOptions] {
  const options = { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB }, workerData: search };
  if (!import.meta.url.endsWith('.ts')) return [new URL('./program.js', import.meta.url), options];
  const tsx = JSON.stringify(createRequire(import.meta.url).resolve('tsx/cjs/api'));
  const program = JSON.stringify(fileURLToPath(new URL('./program.ts', import.meta.url)));
  return [
    `require(${tsx}).register(); require(${program});`,
    { ...options, eval: true, execArgv: ['--conditions=trellis-source'] },
  ];
}
