import { observeOutages } from '@trellis/runtime/outage-log';
import { Cluster, Redis } from 'ioredis';
import { GatheringRedis } from './gathering-redis.ts';

/** A single node or a cluster; both run the same commands. */
export type RedisConnection = Redis | Cluster;

/** Settings of {@link connectRedis}. */
export interface RedisOptions {
  /** `redis://` or `rediss://`; several, separated by commas, are the seed nodes of a cluster. */
  readonly url: string;
  /** Shown by CLIENT LIST. */
  readonly name: string;
  /** Called when the server can't be reached, once until it is reached again; the connection goes on trying. */
  readonly onError: (error: Error) => void;
  /** Milliseconds after which a command fails rather than wait. @default 2_000 */
  readonly commandTimeoutMs?: number;
  /**
   * Writes the commands of one turn of the event loop together, and reads what {@link getTogether} asks for in it by one command:
   * less work for a server that answers many requests at a time. A cluster does without. @default false
   */
  readonly gatherWrites?: boolean;
  /**
   * Sends commands again whose answer was lost with the connection. Not for writes that must happen once: sent twice, a
   * refresh token looks as if it had been used twice. Without it they fail at their time-out. @default true
   */
  readonly resend?: boolean;
}

/**
 * Opens a connection that reconnects for ever with growing pauses (at most 1 s), and whose commands fail at their
 * time-out instead of queueing while the server is unavailable.
 */
export function connectRedis(options: RedisOptions): RedisConnection {
  const nodes = options.url.split(',');
  const settings = {
    connectionName: options.name,
    commandTimeout: options.commandTimeoutMs ?? 2_000,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: true,
    autoResendUnfulfilledCommands: options.resend ?? true,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, 1_000),
  };
  const connection =
    nodes.length > 1
      ? new Cluster(nodes, { redisOptions: settings })
      : new (options.gatherWrites ? GatheringRedis : Redis)(options.url, settings);
  reportOutages(connection, options.onError);
  return connection;
}

/**
 * Reads a key, which may be read together with others that are asked for in the same turn of the event loop, and after
 * commands that are sent in it: one command costs a server that answers many requests at a time less than several.
 */
export function getTogether(connection: RedisConnection, key: string): Promise<string | null> {
  return connection instanceof GatheringRedis ? connection.getTogether(key) : connection.get(key);
}

/** Every attempt to reconnect fails while the server is unavailable, and each emits an error. */
function reportOutages(connection: RedisConnection, onError: RedisOptions['onError']): void {
  const outages = observeOutages({ begins: (error) => onError(error as Error) }); // ioredis emits Errors
  connection.on('ready', outages.succeeded);
  connection.on('error', outages.failed);
}
