/** One server, several that Sentinel watches over, or a cluster: what the URL of a Redis leads to. */
export type RedisTarget =
  | { readonly kind: 'server'; readonly url: string }
  | ({ readonly kind: 'sentinel' } & SentinelTarget)
  | ({ readonly kind: 'cluster' } & Access);

/** Where to ask for the master of a group, and how to sign in there and at the master. */
interface SentinelTarget extends Access {
  /** Name of the group, as Sentinel's configuration has it. */
  readonly masterName: string;
  /** Number of the database. */
  readonly database: number;
  readonly sentinelUsername: string | undefined;
  readonly sentinelPassword: string | undefined;
}

interface Access {
  /** Sentinels, or the seed nodes of a cluster. */
  readonly hosts: readonly RedisHost[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly isEncrypted: boolean;
}

interface RedisHost {
  readonly host: string;
  readonly port: number;
}

const SERVER_PORT = 6_379;
const SENTINEL_PORT = 26_379;

const SERVER_FORM = 'redis://… or rediss://…';
const CLUSTER_FORM = 'redis+cluster://[user:password@]host:6379,host:6379';
const SENTINEL_FORM =
  'redis+sentinel://[user:password@]host:26379,host:26379/master-name[/database][?sentinelPassword=…]';

/**
 * Reads the URL of a Redis: `redis://host`, several of these separated by commas (a cluster's seed nodes),
 * `redis+cluster://host,host`, `redis+sentinel://host,host/master-name/database`; each with `rediss` for TLS.
 *
 * @throws TypeError when it is none of them; the message does not repeat it, as it may hold passwords
 */
export function parseRedisUrl(url: string): RedisTarget {
  const schemes = /^(rediss?)\+(sentinel|cluster):\/\/(.*)$/is.exec(url);
  if (!schemes) return parseServers(url.split(','));
  const [, scheme = '', kind = '', rest = ''] = schemes;
  const isEncrypted = scheme.toLowerCase() === 'rediss';
  return kind.toLowerCase() === 'sentinel'
    ? parseSentinel(rest, isEncrypted)
    : parseCluster(rest, isEncrypted);
}

/** What is wrong with the URL of a Redis (`must be …`); undefined where it can be used. */
export function problemOfRedisUrl(url: string): string | undefined {
  try {
    parseRedisUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

/** Whether the URL of a Redis leads to a cluster. */
export function isRedisCluster(url: string): boolean {
  return problemOfRedisUrl(url) === undefined && parseRedisUrl(url).kind === 'cluster';
}

/**
 * What two URLs of the same Redis have in common: `host:port`, with Sentinel also the name of the master, as Sentinels
 * watch over several.
 *
 * @throws TypeError as {@link parseRedisUrl}
 */
export function redisAddresses(url: string): readonly string[] {
  const target = parseRedisUrl(url);
  if (target.kind === 'server') return [addressOf(hostOf(new URL(target.url)))];
  const addresses = target.hosts.map(addressOf);
  return target.kind === 'cluster'
    ? addresses
    : addresses.map((address) => `${address}/${target.masterName}`);
}

function addressOf({ host, port }: RedisHost): string {
  return `${host}:${port}`;
}

/** The first URL says for all nodes how to sign in: nodes that are learnt of later have no URL. */
function parseServers(nodes: readonly string[]): RedisTarget {
  const urls = nodes.map(parseServer);
  const [first] = urls;
  if (!first) throw new TypeError(`must be ${SERVER_FORM}`);
  if (urls.length === 1) return { kind: 'server', url: nodes[0] ?? '' };
  return {
    kind: 'cluster',
    hosts: urls.map(hostOf),
    username: decoded(first.username),
    password: decoded(first.password),
    isEncrypted: first.protocol === 'rediss:',
  };
}

function parseServer(text: string): URL {
  if (!/^rediss?:\/\/./.test(text) || !URL.canParse(text)) {
    throw new TypeError(
      `must be ${SERVER_FORM}, several separated by commas, ${CLUSTER_FORM} or ${SENTINEL_FORM}`,
    );
  }
  return new URL(text);
}

function hostOf({ hostname, port }: URL): RedisHost {
  return { host: bare(hostname.toLowerCase()), port: port === '' ? SERVER_PORT : Number(port) };
}

function parseCluster(rest: string, isEncrypted: boolean): RedisTarget {
  const parts = /^(?:([^@/?]*)@)?([^@/?]+)\/?(?:0)?$/.exec(rest);
  const access = parts && accessOf(parts[1], parts[2], SERVER_PORT);
  // A cluster has one database.
  if (!access) throw new TypeError(`must be ${CLUSTER_FORM}, without a database or parameters`);
  return { kind: 'cluster', isEncrypted, ...access };
}

function parseSentinel(rest: string, isEncrypted: boolean): RedisTarget {
  const parts = /^(?:([^@/?]*)@)?([^@/?]+)\/([^/?]+)(?:\/(\d{0,4}))?(?:\?(.*))?$/.exec(rest);
  const access = parts && accessOf(parts[1], parts[2], SENTINEL_PORT);
  const masterName = decoded(parts?.[3] ?? '');
  if (!access || masterName === undefined) throw new TypeError(`must be ${SENTINEL_FORM}`);
  return {
    kind: 'sentinel',
    isEncrypted,
    ...access,
    masterName,
    database: Number(parts?.[4] ?? 0),
    ...parametersOf(parts?.[5] ?? ''),
  };
}

function accessOf(
  credentials: string | undefined,
  list: string | undefined,
  defaultPort: number,
): Omit<Access, 'isEncrypted'> | undefined {
  const hosts = (list ?? '').split(',').map((text) => parseHost(text, defaultPort));
  if (!hosts.every((host) => host !== undefined)) return undefined;
  const [username = '', password = ''] = splitOnce(credentials ?? '', ':');
  return { hosts, username: decoded(username), password: decoded(password) };
}

/** `host`, `host:port` or `[IPv6]:port`. */
function parseHost(text: string, defaultPort: number): RedisHost | undefined {
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(text) || !URL.canParse(`redis://${text}`))
    return undefined;
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: bare(hostname.toLowerCase()), port: port === '' ? defaultPort : Number(port) };
}

const PARAMETERS: ReadonlySet<string> = new Set(['sentinelUsername', 'sentinelPassword']);

function parametersOf(query: string): Pick<SentinelTarget, 'sentinelUsername' | 'sentinelPassword'> {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!PARAMETERS.has(name))
      throw new TypeError(
        `must be ${SENTINEL_FORM}, with no parameters but ${[...PARAMETERS].join(' and ')}`,
      );
  }
  return {
    sentinelUsername: parameters.get('sentinelUsername') ?? undefined,
    sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
  };
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Empty is absent. */
function decoded(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError('must escape % in user, password and name of the master as %25');
  }
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
