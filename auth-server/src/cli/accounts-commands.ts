import { isRole, roles } from '../accounts.ts';
import { newAccountId } from '../new-account-id.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions, required, UsageError, type CommandOptions } from './command-line.ts';

const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 1_024;

/** Adds an account; the password comes from standard input, so that no process list shows it. */
export const addAccount: Command = {
  usage: 'accounts add --email E --name N --role ADMIN|EDITOR|VIEWER --password-stdin',
  run: async (args, context) => {
    const options = readOptions(args, ['email', 'name', 'role', 'password-stdin']);
    const { email, name, role } = readAccount(options);
    const password = await readPassword(options, context);
    const { services, hasher, commandLine } = context;
    const id = newAccountId(services.clock());
    const passwordHash = await hasher.hash(password);
    const added = await services.accounts.add({ id, email, name, role, emailVerified: true, passwordHash });
    if (!added) throw new Error(`There is an account with the address ${email} already.`);
    services.audit.record({ event: 'account_added', subject: id, by: 'command' });
    commandLine.print(`Added ${email} (${role}), id ${id}.`);
  },
};

/** Disables an account and ends everything that it has begun. */
export const disableAccount: Command = {
  usage: 'accounts disable --email E',
  run: async (args, { services, commandLine }) => {
    const email = required(readOptions(args, ['email']), 'email');
    const id = await services.accounts.disable(email);
    if (id === undefined) throw new Error(`There is no account with the address ${email}.`);
    services.audit.record({ event: 'account_disabled', subject: id, by: 'command' });
    const ended = await services.revoker.revokeOfAccount(id, 'account_changed');
    commandLine.print(`Disabled ${email} and ended ${ended} grants.`);
  },
};

function readAccount(
  options: CommandOptions,
): Record<'email' | 'name', string> & { role: (typeof roles)[number] } {
  const email = required(options, 'email');
  const role = required(options, 'role');
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 320)
    throw new UsageError(`--email: ${email} is no address.`);
  if (!isRole(role)) throw new UsageError(`--role: must be ${roles.join(', ')}.`);
  return { email, name: required(options, 'name'), role };
}

async function readPassword(options: CommandOptions, { commandLine }: CommandContext): Promise<string> {
  required(options, 'password-stdin');
  const password = (await commandLine.readStdin()).replace(/\r?\n$/, '');
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH) {
    throw new UsageError(
      `The password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`,
    );
  }
  return password;
}
