import { parentPort } from 'node:worker_threads';
import type { Composition } from '../compose-supergraph.ts';
import { compareComposers } from '../composers/compare-composers.ts';
import { proveSatisfiability } from '../prove-satisfiability.ts';
import type { ComposerTask, CompositionReply, CompositionTask } from './messages.ts';

type Compose = (task: CompositionTask) => Composition;

/** Composes, proves and compares what the thread is asked for, until it is terminated. */
export function serveCompositions(compose: Compose): void {
  parentPort?.on('message', (task: ComposerTask) =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is about windows of a browser
    parentPort?.postMessage(reply(compose, task)),
  );
}

function reply(compose: Compose, task: ComposerTask): CompositionReply {
  try {
    if ('guild' in task) return { kind: 'compared', differences: compareComposers(task.apollo, task.guild) };
    if ('printed' in task) return { kind: 'proved', proof: proveSatisfiability(task.printed) };
    const startedAt = performance.now();
    const composition = compose(task);
    return { kind: 'done', composition, durationMs: performance.now() - startedAt };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}
