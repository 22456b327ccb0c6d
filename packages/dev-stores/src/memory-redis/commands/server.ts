import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import { map, type Reply } from '../protocol/reply.ts';
import type { Instance } from '../server/instance.ts';
import { matchesGlob } from '../values/glob.ts';
import { argument, numberArgument } from './arguments.ts';
import { plain, type Call, type Command, type Outcome } from './command.ts';
import { info } from './info.ts';
import { subcommands, type Subcommand } from './subcommands.ts';

const configTable: ReadonlyMap<string, Subcommand> = new Map([
  ['get', { arity: -3, run: getSettings }],
  ['set', { arity: -4, run: refuseSettings }],
]);

/** What is asked of the server itself. */
export const serverCommands: readonly Command[] = [
  plain('info', -1, info),
  plain('config', -2, subcommands('config', configTable), ['admin', 'noscript']),
  plain('time', 1, tellTime),
  plain('wait', 3, waitForReplicas, ['blocking', 'noscript']),
];

function getSettings({ args, instance }: Call): Reply {
  const patterns = args.slice(1).map((pattern) => pattern.toLowerCase());
  return map(settings(instance).filter(([name]) => patterns.some((pattern) => matchesGlob(pattern, name))));
}

/** Those of Redis' settings that clients ask for. */
function settings({ limits, port }: Instance): readonly (readonly [string, Bytes])[] {
  return [
    ['appendonly', 'no'],
    ['databases', '1'],
    ['maxclients', String(limits.maxClients)],
    ['maxmemory', '0'],
    ['maxmemory-policy', 'noeviction'],
    ['notify-keyspace-events', ''],
    ['port', String(port)],
    ['proto-max-bulk-len', String(limits.maxBulkBytes)],
    ['save', ''],
    ['timeout', '0'],
  ];
}

function refuseSettings(): never {
  throw new RedisError(
    'ERR CONFIG SET is not supported: the in-memory server is set up by the program it runs in',
  );
}

function tellTime({ instance }: Call): Reply {
  const microseconds = Math.floor(instance.clock() * 1_000);
  return [String(Math.floor(microseconds / 1_000_000)), String(microseconds % 1_000_000)];
}

/** There are no replicas: whoever wants one waits in vain until the time-out. */
function waitForReplicas({ args }: Call): Outcome {
  const replicas = numberArgument(argument(args, 0));
  const timeoutMs = numberArgument(argument(args, 1), 'ERR timeout is not an integer or out of range');
  if (timeoutMs < 0) throw new RedisError(messages.negativeTimeout);
  if (replicas <= 0) return 0;
  return { kind: 'wait', keys: [], timeoutMs, attempt: () => undefined, otherwise: 0 };
}
