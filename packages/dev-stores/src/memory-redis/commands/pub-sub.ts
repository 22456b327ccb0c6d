import type { Reply } from '../protocol/reply.ts';
import { argument } from './arguments.ts';
import { plain, type Call, type Command } from './command.ts';

/** Messages to the subscribers of a channel. */
export const pubSubCommands: readonly Command[] = [
  plain('subscribe', -2, subscribe, ['noscript']),
  plain('publish', 3, ({ args, instance }) =>
    instance.subscriptions.publish(argument(args, 0), argument(args, 1)),
  ),
];

/** One reply for each name, with the number of subscriptions by then. */
function subscribe({ args, client, instance }: Call): Reply {
  const replies = args.map((channel): Reply => {
    instance.subscriptions.subscribe(client, channel);
    return { kind: 'push', items: ['subscribe', channel, client.channels.size] };
  });
  return { kind: 'several', replies };
}
