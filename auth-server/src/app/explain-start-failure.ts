import { StartupError, describeUnavailableStore } from '@trellis/runtime';
import { describeUnavailableDatabase } from '@trellis/postgres';
import { connectRedis } from '@trellis/redis';
import type { AuthServerConfig } from './auth-server-config.ts';

const DEADLINE_MS = 2_000;

/**
 * Finds out whether stores that do not answer are why something failed. It fails without PostgreSQL whatever its error says;
 * Redis is the reason of errors of its client alone, as the auth-server starts without it.
 *
 * @returns a StartupError that names the stores by their variables; else the error itself
 */
export async function explainStartFailure(
  error: unknown,
  { DATABASE_URL, REDIS_URL }: Pick<AuthServerConfig, 'DATABASE_URL' | 'REDIS_URL'>,
): Promise<unknown> {
  if (error instanceof StartupError) return error;
  const database = await describeUnavailableDatabase(DATABASE_URL);
  if (database === undefined && !isOfRedisClient(error)) return error;
  const problems = [database, await problemOfRedis(REDIS_URL)].filter((problem) => problem !== undefined);
  return problems.length === 0 ? error : new StartupError(problems.join('\n'), { cause: error });
}

/** A command fails with the time for which it waited; the connection knows why. */
async function problemOfRedis(url: string): Promise<string | undefined> {
  let reason: Error | undefined;
  const onError = (error: Error): void => void (reason = error);
  const redis = connectRedis({ url, name: 'trellis-auth-start', commandTimeoutMs: DEADLINE_MS, onError });
  try {
    await redis.ping();
    return undefined;
  } catch (error) {
    return describeUnavailableStore('REDIS_URL', reason ?? error);
  } finally {
    redis.disconnect();
  }
}

/** What ioredis rejects commands with while there is no connection, or it is not let in. */
function isOfRedisClient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ['MaxRetriesPerRequestError', 'ReplyError'].includes(error.name) ||
    ['Command timed out', 'Connection is closed.'].includes(error.message)
  );
}
