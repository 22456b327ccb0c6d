import { messages, RedisError } from '../errors.ts';
import type { Reply } from '../protocol/reply.ts';
import { argument, numberArgument } from './arguments.ts';
import { plain, type Call, type Command, type Outcome } from './command.ts';
import { info } from './info.ts';

/** What is asked of the server itself. */
export const serverCommands: readonly Command[] = [
  plain('info', -1, info),
  plain('time', 1, replyTime),
  plain('wait', 3, waitForReplicas, ['noscript']),
];

function replyTime({ instance }: Call): Reply {
  const microseconds = Math.floor(instance.clock() * 1_000);
  return [String(Math.floor(microseconds / 1_000_000)), String(microseconds % 1_000_000)];
}

/** There are no replicas: a caller that waits for one times out. */
function waitForReplicas({ args }: Call): Outcome {
  const replicas = numberArgument(argument(args, 0));
  const timeoutMs = numberArgument(argument(args, 1), 'ERR timeout is not an integer or out of range');
  if (timeoutMs < 0) throw new RedisError(messages.negativeTimeout);
  if (replicas <= 0) return 0;
  return { kind: 'wait', keys: [], timeoutMs, attempt: () => undefined, otherwise: 0 };
}
