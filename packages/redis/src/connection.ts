import { observeOutages } from '@trellis/runtime/outage-log';
import { Cluster, Redis, type RedisOptions as AllClientOptions } from 'ioredis';
import { BoundedCluster, type BoundedClusterOptions } from './bounded-cluster.ts';
import { GatheringRedis } from './gathering-redis.ts';
import { parseRedisUrl, type RedisTarget } from './redis-url.ts';
import { SentinelConnector } from './sentinel-connector.ts';

/** A single node or a cluster; both run the same commands. */
export type RedisConnection = Redis | Cluster;

/** Settings of {@link connectRedis}. */
export interface RedisOptions {
  /** As {@link parseRedisUrl} reads it: one server, a group that Sentinel watches over, or a cluster. */
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
   * Sends commands again whose response was lost with the connection. Not for writes that must happen once: sent twice, a
   * refresh token looks as if it had been used twice. Without it they fail at their time-out. @default true
   */
  readonly resend?: boolean;
}

/**
 * Opens a connection that reconnects for ever with growing pauses (at most 1 s), and whose commands fail at their
 * time-out instead of queueing while the server is unavailable.
 */
export function connectRedis(options: RedisOptions): RedisConnection {
  const target = parseRedisUrl(options.url);
  const connection = openConnection(target, settingsOf(options), options.gatherWrites ?? false);
  reportOutages(connection, options.onError);
  return connection;
}

type ClientOptions = Omit<AllClientOptions, 'replyMapping'>;
type Settings = ClientOptions & { readonly commandTimeout: number };

function settingsOf(options: RedisOptions): Settings {
  return {
    connectionName: options.name,
    commandTimeout: options.commandTimeoutMs ?? 2_000,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: true,
    autoResendUnfulfilledCommands: options.resend ?? true,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, 1_000),
  };
}

function openConnection(target: RedisTarget, settings: Settings, gatherWrites: boolean): RedisConnection {
  if (target.kind === 'cluster') return openCluster(target, settings);
  const [url, all] =
    target.kind === 'server' ? [target.url, settings] : ['', { ...settings, ...sentinelSettings(target) }];
  return gatherWrites ? new GatheringRedis(url, all) : new Redis(url, all);
}

/** Milliseconds that a Sentinel, or the server that it names, may take to be connected to: another one may answer. */
const CONNECT_TIMEOUT_MS = 2_000;

/** The connection leaves a master as soon as a Sentinel says, or the master itself says, that it is none any more. */
function sentinelSettings(target: Extract<RedisTarget, { kind: 'sentinel' }>): ClientOptions {
  const { sentinelUsername, sentinelPassword, isEncrypted } = target;
  return {
    sentinels: [...target.hosts],
    name: target.masterName,
    db: target.database,
    connectTimeout: CONNECT_TIMEOUT_MS,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    sentinelRetryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
    failoverDetector: true,
    Connector: SentinelConnector,
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    ...credentialsOf(target),
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(isEncrypted && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}

function openCluster(target: Extract<RedisTarget, { kind: 'cluster' }>, settings: Settings): Cluster {
  const options: BoundedClusterOptions = {
    redisOptions: { ...settings, ...credentialsOf(target), ...(target.isEncrypted && { tls: {} }) },
    // A certificate names the host, not its address.
    ...(target.isEncrypted && { dnsLookup: (address, callback) => callback(null, address) }),
  };
  return new BoundedCluster([...target.hosts], options, settings.commandTimeout);
}

function credentialsOf({
  username,
  password,
}: Extract<RedisTarget, { kind: 'cluster' | 'sentinel' }>): ClientOptions {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
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
