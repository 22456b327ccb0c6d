import { createLogger, createMetrics } from '@trellis/runtime';
import { createPool } from '@trellis/postgres';
import { connectRedis } from '@trellis/redis';
import type { AuthServerConfig } from '../app/auth-server-config.ts';
import { createFeatures } from '../app/create-features.ts';
import { migrateAuthServer, SCHEMA } from '../app/start.ts';
import {
  addAccount,
  disableAccount,
  enableAccount,
  inviteAccount,
  resetAccount,
  showAccount,
  updateAccount,
} from './accounts-commands.ts';
import { listAuditEvents } from './audit-commands.ts';
import { addClient, listClients, removeClient, rotateClientSecret } from './clients-commands.ts';
import { createCommandLine, UsageError, type CommandLine, type CommandStreams } from './command-line.ts';
import type { Command, CommandContext } from './command.ts';
import { linkIdentity, unlinkIdentity } from './identities-commands.ts';
import { revokeGrants } from './grants-commands.ts';
import { listKeys, replaceKeys, rotateKeys } from './keys-commands.ts';

export type { CommandStreams } from './command-line.ts';

const commands: ReadonlyMap<string, Command> = new Map([
  ['accounts add', addAccount],
  ['accounts invite', inviteAccount],
  ['accounts reset', resetAccount],
  ['accounts show', showAccount],
  ['accounts update', updateAccount],
  ['accounts disable', disableAccount],
  ['accounts enable', enableAccount],
  ['accounts link', linkIdentity],
  ['accounts unlink', unlinkIdentity],
  ['grants revoke', revokeGrants],
  ['keys list', listKeys],
  ['keys rotate', rotateKeys],
  ['keys replace', replaceKeys],
  ['clients list', listClients],
  ['clients add', addClient],
  ['clients rotate-secret', rotateClientSecret],
  ['clients remove', removeClient],
  ['audit list', listAuditEvents],
]);

/** Every command: `accounts add`. */
export const commandNames: readonly string[] = [...commands.keys()];

/** Exit status for a call that makes no sense: EX_USAGE of sysexits(3). */
const EXIT_USAGE = 64;

/**
 * Runs a command of the auth-server against its database and Redis; a running server needs no notification.
 *
 * @param args what follows the program's name: `accounts add --email …`
 * @returns the exit status: 0, 1 when the command failed, 64 when it was called wrongly
 */
export async function runAuthServerCommand(
  args: readonly string[],
  config: AuthServerConfig,
  streams: CommandStreams,
): Promise<number> {
  const commandLine = createCommandLine(streams);
  const command = commands.get(args.slice(0, 2).join(' '));
  if (!command) {
    commandLine.complain(
      ['Commands:', ...[...commands.values()].map(({ usage }) => `  ${usage}`)].join('\n'),
    );
    return EXIT_USAGE;
  }
  try {
    await withFeatures(config, commandLine, (context) => command.run(args.slice(2), context));
    return 0;
  } catch (error) {
    commandLine.complain(error instanceof Error ? error.message : String(error));
    if (!(error instanceof UsageError)) return 1;
    commandLine.complain(`Usage: ${command.usage}`);
    return EXIT_USAGE;
  }
}

async function withFeatures(
  config: AuthServerConfig,
  commandLine: CommandLine,
  work: (context: CommandContext) => Promise<void>,
): Promise<void> {
  await migrateAuthServer(config.DATABASE_URL);
  // Standard output is the command's result; the records of what it did go to standard error.
  const logger = createLogger({
    service: 'auth-server',
    level: config.LOG_LEVEL,
    destination: { write: (line: string) => commandLine.complain(line.trimEnd()) },
  });
  const pool = createPool({ connectionString: config.DATABASE_URL, schema: SCHEMA });
  const onError = (error: Error): void => logger.debug({ err: error }, 'Redis is out of reach');
  const redis = connectRedis({ url: config.REDIS_URL, name: 'trellis-auth-command', onError });
  const issuer = config.ISSUER ?? `http://localhost:${config.PORT}`;
  try {
    const metrics = createMetrics('auth-server');
    const created = await createFeatures(config, { pool, redis, logger, metrics, issuer, clock: Date.now });
    try {
      await work({ ...created, commandLine });
    } finally {
      await created.features.backChannelLogout.settle();
      await created.features.accountMail?.settle();
      created.features.audit.flush();
      await created.auditWriter.close();
    }
  } finally {
    redis.disconnect();
    await pool.end();
  }
}
