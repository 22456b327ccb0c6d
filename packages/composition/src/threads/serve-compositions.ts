import { parentPort } from 'node:worker_threads';
import type { Composition } from '../compose-supergraph.ts';
import type { CompositionReply, CompositionTask } from './messages.ts';

/** Composes what the thread is asked for, until it is terminated. */
export function serveCompositions(compose: (task: CompositionTask) => Composition): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is about windows of a browser
  parentPort?.on('message', (task: CompositionTask) => parentPort?.postMessage(reply(compose, task)));
}

function reply(compose: (task: CompositionTask) => Composition, task: CompositionTask): CompositionReply {
  try {
    const startedAt = performance.now();
    const composition = compose(task);
    return { kind: 'done', composition, durationMs: performance.now() - startedAt };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}
