import { startProgram, TaskThread } from '@trellis/composition';
import type { ReleaseJudge } from '../publish/judgements.ts';
import { errorOfReply, type JudgementReply, type JudgementTask } from './judgement-messages.ts';
import { registryLimits } from './registry-limits.ts';

/** Judges releases elsewhere than on the thread that serves. */
export interface JudgementPlace {
  /** What judges one change. @param signal ends it */
  judgeUntil(signal: AbortSignal): ReleaseJudge;
  close(): Promise<void>;
}

/** Settings of {@link createJudgementThread}. */
export interface JudgementThreadOptions {
  /** Memory of the thread. @default 2,048 */
  readonly maxHeapMb?: number;
}

/**
 * A thread that judges releases, so that the one that serves goes on serving. A judgement that takes too long, or more memory than there
 * is, fails with ThreadEnded; the next gets a new thread.
 */
export function createJudgementThread({
  maxHeapMb = registryLimits.judgementHeapMiB.amount,
}: JudgementThreadOptions = {}): JudgementPlace {
  const beside = import.meta.url;
  const library = '@apollo/gateway';
  const thread = new TaskThread<JudgementTask, JudgementReply>({
    name: 'judgement',
    start: () => startProgram({ beside, name: 'judgement-program', library, maxHeapMb }),
    deadlineMs: registryLimits.changeSeconds.amount * 1_000,
  });
  const ask = async <Result>(task: JudgementTask, signal: AbortSignal): Promise<Result> => {
    const reply = await thread.run(task, signal);
    if (reply.kind === 'failed') throw errorOfReply(reply);
    return reply.result as Result; // by our own program, of the function that the task names
  };
  return {
    judgeUntil: (signal) => ({
      checkGraphs: (...given) => ask({ name: 'checkGraphs', given }, signal),
      guardRelease: (...given) => ask({ name: 'guardRelease', given }, signal),
      composeContracts: (...given) => ask({ name: 'composeContracts', given }, signal),
      printServedApi: (...given) => ask({ name: 'printServedApi', given }, signal),
    }),
    close: () => thread.close(),
  };
}
