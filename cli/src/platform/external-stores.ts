import { describeUnavailableStore, type Environment } from '@trellis/runtime';
import { defineStatements, queryRows } from '@trellis/postgres';
import { connectRedis } from '@trellis/redis';
import { Client } from 'pg';
import { statements } from '../generated/statements.ts';
import { prefixes, programs, type Prefix } from '../programs.ts';

/** Stores that a variable of the environment can name. */
export type StoreVariable = 'DATABASE_URL' | 'REDIS_URL';

/** An external store: the environment gives its URL. */
export interface ExternalStore {
  /** `DATABASE_URL`, or the variable of one service, `POSTS_DATABASE_URL`. */
  readonly variable: string;
  readonly url: string;
}

/** A store that the environment names can't be used; the message says which variable, and why. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

const OLDEST_POSTGRES = 15;
const DEADLINE_MS = 5_000;

const sql = defineStatements(statements, 'external-stores', {
  showVersion: { notNull: ['server_version'], text: 'SHOW server_version' },
});

/** The stores that the environment names for the services that need one, each once. @param wantedBy the prefixes of the services. @default all */
export function externalStores(
  variable: StoreVariable,
  environment: Environment,
  wantedBy: readonly Prefix[] = prefixes,
): readonly ExternalStore[] {
  const stores = programs
    .filter(({ reads, prefix }) => reads(variable) && wantedBy.includes(prefix))
    .map(({ prefix }) => externalStore([`${prefix}_${variable}`, variable], environment));
  const byVariable = new Map(
    stores.filter((store) => store !== undefined).map((store) => [store.variable, store]),
  );
  return [...byVariable.values()];
}

/** Whether every service that needs such a store has an external one. */
export function areAllExternal(
  variable: StoreVariable,
  environment: Environment,
  wantedBy: readonly Prefix[] = prefixes,
): boolean {
  return programs
    .filter(({ reads, prefix }) => reads(variable) && wantedBy.includes(prefix))
    .every(({ prefix }) => externalStore([`${prefix}_${variable}`, variable], environment) !== undefined);
}

/**
 * Asks an external PostgreSQL for its version.
 *
 * @returns for example `PostgreSQL 16.2, given by DATABASE_URL`
 * @throws StoreUnavailable
 */
export async function describeExternalPostgres({ variable, url }: ExternalStore): Promise<string> {
  const version = await ask(variable, () => postgresVersion(url));
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES) {
    throw new StoreUnavailable(
      `${variable} names a PostgreSQL ${version}; Trellis needs ${OLDEST_POSTGRES} or later.`,
    );
  }
  return `${version}, given by ${variable}`;
}

/** Asks an external Redis for its version. @throws StoreUnavailable */
export async function describeExternalRedis({ variable, url }: ExternalStore): Promise<string> {
  return `${await ask(variable, () => redisVersion(url))}, given by ${variable}`;
}

/** What the stores that the environment names are. */
export interface ExternalDescriptions {
  readonly postgres: readonly string[];
  readonly redis: readonly string[];
}

/** Asks every store that the environment names for these services what it is. @throws StoreUnavailable with all that do not answer */
export async function describeExternalStores(
  environment: Environment,
  wantedBy: readonly Prefix[] = prefixes,
): Promise<ExternalDescriptions> {
  const [postgres, redis] = await Promise.all([
    Promise.allSettled(externalStores('DATABASE_URL', environment, wantedBy).map(describeExternalPostgres)),
    Promise.allSettled(externalStores('REDIS_URL', environment, wantedBy).map(describeExternalRedis)),
  ]);
  const failed = [...postgres, ...redis].filter(({ status }) => status === 'rejected');
  const reasons = (failed as readonly PromiseRejectedResult[]).map(({ reason }): unknown => reason);
  if (reasons.length > 0) throw unavailable(reasons);
  return { postgres: postgres.flatMap(valueOf), redis: redis.flatMap(valueOf) };
}

function unavailable(reasons: readonly unknown[]): unknown {
  const [first] = reasons;
  if (reasons.length === 1 || !reasons.every((reason) => reason instanceof StoreUnavailable)) return first;
  return new StoreUnavailable(reasons.map(({ message }) => message).join('\n'), { cause: first });
}

function valueOf(outcome: PromiseSettledResult<string>): readonly string[] {
  return outcome.status === 'fulfilled' ? [outcome.value] : [];
}

function externalStore(variables: readonly string[], environment: Environment): ExternalStore | undefined {
  const variable = variables.find((name) => environment[name]);
  return variable === undefined ? undefined : { variable, url: environment[variable] ?? '' };
}

async function ask(variable: string, question: () => Promise<string>): Promise<string> {
  try {
    return await question();
  } catch (cause) {
    throw new StoreUnavailable(describeUnavailableStore(variable, cause), { cause });
  }
}

async function postgresVersion(connectionString: string): Promise<string> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: DEADLINE_MS,
    query_timeout: DEADLINE_MS, // the client's: a pooler may reject one of the server's
  });
  client.on('error', () => undefined); // the query itself fails
  try {
    await client.connect();
    const [shown] = await queryRows(client, sql.showVersion, []);
    return shown?.server_version.split(' ')[0] ?? 'of an unknown release';
  } finally {
    await client.end();
  }
}

async function redisVersion(url: string): Promise<string> {
  let problem: Error | undefined;
  const connection = connectRedis({
    url,
    name: 'trellis-platform',
    commandTimeoutMs: DEADLINE_MS,
    onError: (error) => {
      problem = error;
    },
  });
  try {
    const information = await connection.info('server');
    return /^(?:valkey|redis)_version:(\S+)/m.exec(information)?.[1] ?? 'of an unknown release';
  } catch (error) {
    throw problem ?? error;
  } finally {
    connection.disconnect();
  }
}
