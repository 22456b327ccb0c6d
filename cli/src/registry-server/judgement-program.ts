import { parentPort } from 'node:worker_threads';
import { judgements } from '../publish/judgements.ts';
import { readUsageTables } from '../recorded/usage-tables.ts';
import { checkGraphs } from '../supergraph/check-graphs.ts';
import { failedReply, type JudgementReply, type JudgementTask } from './judgement-messages.ts';

// The program of a thread that judges releases, until it is terminated.
parentPort?.on('message', (task: JudgementTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is about windows of a browser
  void replyTo(task).then((reply) => parentPort?.postMessage(reply));
});

async function replyTo(task: JudgementTask): Promise<JudgementReply> {
  try {
    return { kind: 'done', result: await resultOf(task) };
  } catch (error) {
    return failedReply(error);
  }
}

function resultOf(task: JudgementTask): Promise<unknown> {
  switch (task.name) {
    case 'checkGraphs':
      return checkGraphs(...task.given, readUsageTables); // a thread that runs sources imports none later
    case 'guardRelease':
      return judgements.guardRelease(...task.given);
    case 'composeContracts':
      return judgements.composeContracts(...task.given);
    case 'printServedApi':
      return judgements.printServedApi(...task.given);
    default:
      return task satisfies never;
  }
}
