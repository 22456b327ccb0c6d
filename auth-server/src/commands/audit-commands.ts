import type { AuditFilter } from '../audit/audit-store.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions, UsageError, type CommandOptions } from './command-line.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

/** Lists stored security events, newest first, one JSON object a line. */
export const listAuditEventsCommand: Command = {
  usage: 'audit list [--event V] [--email E] [--client-id C] [--grant=G] [--since TIME] [--limit N]',
  run: async (args, context) => {
    const options = readOptions(args, ['event', 'email', 'client-id', 'grant', 'since', 'limit']);
    for (const event of await context.features.auditStore.list(await readFilter(options, context))) {
      const { occurredAt, details, ...rest } = event;
      const record = { at: new Date(occurredAt).toISOString(), ...rest, ...details };
      context.commandLine.list(record);
    }
  },
};

async function readFilter(options: CommandOptions, { features }: CommandContext): Promise<AuditFilter> {
  const { event, email, 'client-id': clientId, grant: grantId } = options;
  const account = email === undefined ? undefined : await features.accounts.findByEmail(email);
  return {
    event,
    subject: account?.id,
    account: email === undefined ? undefined : features.accountName(email),
    clientId,
    grantId,
    since: readMoment(options['since']),
    limit: readLimit(options['limit']),
  };
}

function readMoment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const moment = Date.parse(text);
  if (Number.isNaN(moment)) throw new UsageError(`--since: ${text} is no time; write 2030-12-31T23:59:59Z.`);
  return moment;
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`--limit: must be a whole number from 1 to ${MAX_LIMIT}.`);
}
