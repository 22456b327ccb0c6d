import { RedisError } from '../errors.ts';
import { NULL_ARRAY, OK, type Reply } from '../protocol/reply.ts';
import { plain, type Call, type Command } from './command.ts';

/** Commands that run together, or, when a watched key has changed, not at all. */
export const transactionCommands: readonly Command[] = [
  plain('multi', 1, begin, ['noscript', 'no_multi']),
  plain('exec', 1, execute, ['noscript', 'no_multi']),
  plain('discard', 1, discard, ['noscript', 'no_multi']),
  { ...plain('watch', -2, watch, ['noscript', 'no_multi']), keys: { first: 1, last: -1, step: 1 } },
  plain('unwatch', 1, unwatch, ['noscript']),
];

function begin({ client }: Call): Reply {
  if (client.transaction !== undefined) throw new RedisError('ERR MULTI calls can not be nested');
  client.transaction = { requests: [], broken: false };
  return OK;
}

function execute({ client, instance, keyspace }: Call): Reply {
  const { transaction } = client;
  if (transaction === undefined) throw new RedisError('ERR EXEC without MULTI');
  for (const key of client.watchedKeys) keyspace.find(key); // whoever has expired has changed
  const { watchBroken } = client;
  client.transaction = undefined;
  instance.watches.release(client);
  if (transaction.broken) throw new RedisError('EXECABORT Transaction discarded because of previous errors.');
  if (watchBroken) return NULL_ARRAY;
  return transaction.requests.map((request) => instance.runQueued(client, request));
}

function discard({ client, instance }: Call): Reply {
  if (client.transaction === undefined) throw new RedisError('ERR DISCARD without MULTI');
  client.transaction = undefined;
  instance.watches.release(client);
  return OK;
}

function watch({ args, client, instance, keyspace }: Call): Reply {
  if (client.transaction !== undefined) throw new RedisError('ERR WATCH inside MULTI is not allowed');
  for (const key of args) {
    keyspace.find(key);
    instance.watches.watch(client, key);
  }
  return OK;
}

function unwatch({ client, instance }: Call): Reply {
  instance.watches.release(client);
  return OK;
}
