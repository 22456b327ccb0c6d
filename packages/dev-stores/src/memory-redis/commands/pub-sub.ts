import type { Bytes } from '../bytes.ts';
import type { Reply } from '../protocol/reply.ts';
import { argument } from './arguments.ts';
import { plain, type Call, type Command } from './command.ts';
import { subcommands, type Subcommand } from './subcommands.ts';

const table: ReadonlyMap<string, Subcommand> = new Map([
  [
    'channels',
    { arity: -2, run: ({ args, instance }: Call) => instance.subscriptions.channels(args[1] ?? '*') },
  ],
  ['numsub', { arity: -2, run: countSubscribers }],
  ['numpat', { arity: 2, run: ({ instance }: Call) => instance.subscriptions.patternCount }],
]);

/** Messages to whoever listens. */
export const pubSubCommands: readonly Command[] = [
  plain('subscribe', -2, subscribe, ['pubsub', 'noscript']),
  plain('unsubscribe', -1, unsubscribe, ['pubsub', 'noscript']),
  plain('psubscribe', -2, subscribePatterns, ['pubsub', 'noscript']),
  plain('punsubscribe', -1, unsubscribePatterns, ['pubsub', 'noscript']),
  plain(
    'publish',
    3,
    ({ args, instance }) => instance.subscriptions.publish(argument(args, 0), argument(args, 1)),
    ['pubsub'],
  ),
  plain('pubsub', -2, subcommands('pubsub', table), ['pubsub']),
];

function subscribe(call: Call): Reply {
  return forEach(call, 'subscribe', call.args, (channel) =>
    call.instance.subscriptions.subscribe(call.client, channel),
  );
}

function subscribePatterns(call: Call): Reply {
  return forEach(call, 'psubscribe', call.args, (pattern) =>
    call.instance.subscriptions.subscribePattern(call.client, pattern),
  );
}

function unsubscribe(call: Call): Reply {
  const channels = call.args.length > 0 ? call.args : [...call.client.channels];
  return forEach(call, 'unsubscribe', channels, (channel) =>
    call.instance.subscriptions.unsubscribe(call.client, channel),
  );
}

function unsubscribePatterns(call: Call): Reply {
  const patterns = call.args.length > 0 ? call.args : [...call.client.patterns];
  return forEach(call, 'punsubscribe', patterns, (pattern) =>
    call.instance.subscriptions.unsubscribePattern(call.client, pattern),
  );
}

/** One reply for each name, with the number of subscriptions by then. */
function forEach(
  { client }: Call,
  word: string,
  names: readonly Bytes[],
  change: (name: Bytes) => void,
): Reply {
  if (names.length === 0) return confirmation(word, null, client.subscriptionCount);
  const replies = names.map((name) => {
    change(name);
    return confirmation(word, name, client.subscriptionCount);
  });
  return { kind: 'several', replies };
}

function confirmation(word: string, name: Bytes | null, count: number): Reply {
  return { kind: 'push', items: [word, name, count] };
}

function countSubscribers({ args, instance }: Call): Reply {
  return args.slice(1).flatMap((channel) => [channel, instance.subscriptions.subscriberCount(channel)]);
}
