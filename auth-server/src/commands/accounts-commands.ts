import { parseAccountClaims } from '../accounts/account-claims.ts';
import { emailProblem, nameProblem, roleProblem, toRole } from '../accounts/account-rules.ts';
import { describePasswordProblem, passwordProblem } from '../passwords/password-problem.ts';
import type { Account } from '../accounts/accounts.ts';
import { COMMAND_CALLER } from '../accounts/sign-in/hash-callers.ts';
import { addAccount, changeAccount, disableAccount, enableAccount } from '../administration/accounts.ts';
import { issueLink, resetLinkOf } from '../administration/account-links.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions, requiredOption, UsageError, type CommandOptions } from './command-line.ts';

/** Adds an account; the password comes from standard input, so that no process list shows it. */
export const addAccountCommand: Command = {
  usage: 'accounts add --email E --name N --role ADMIN|EDITOR|VIEWER --password-stdin',
  run: async (args, { features, commandLine }) => {
    const options = readOptions(args, ['email', 'name', 'role', 'password-stdin']);
    const hasPassword = options['password-stdin'] !== undefined;
    const password = hasPassword ? (await commandLine.readStdin()).replace(/\r?\n$/, '') : '';
    const { issuer } = features.settings;
    const context = { email: options['email'] ?? '', name: options['name'] ?? '', issuer };
    const problem = hasPassword ? passwordProblem(password, context) : undefined;
    requireAll([
      ...accountProblems(options),
      ...(hasPassword ? [] : ['--password-stdin is needed.']),
      ...(problem === undefined ? [] : [`The password ${describePasswordProblem(problem)}.`]),
    ]);
    const { email = '', name = '', role = '' } = options;
    const account = { email, name, role: toRole(role), password };
    const id = await addAccount(features, account, COMMAND_CALLER);
    if (id === undefined) throw new Error(`There is an account with the address ${email} already.`);
    features.audit.record({ event: 'account_added', subject: id, by: 'command' });
    commandLine.report(`Added ${email} (${role}), id ${id}.`, { id, email, role });
  },
};

/** Prints a link with which its holder makes an account by choosing a password. */
export const inviteAccountCommand: Command = {
  usage: 'accounts invite --email E --name N --role ADMIN|EDITOR|VIEWER',
  run: async (args, { features, commandLine }) => {
    const options = readOptions(args, ['email', 'name', 'role']);
    requireAll(accountProblems(options));
    const { email = '', name = '', role = '' } = options;
    if (await features.accounts.findByEmail(email)) {
      throw new Error(`There is an account with the address ${email} already.`);
    }
    const link = { purpose: 'invitation', email, name, role: toRole(role) } as const;
    const url = await issueLink(features, link, 'command');
    commandLine.report(url, { email, link: url });
  },
};

/** Prints a link with which the account's owner chooses another password. */
export const resetAccountCommand: Command = {
  usage: 'accounts reset --email E',
  run: async (args, context) => {
    const account = await findAccount(readOptions(args, ['email']), context);
    const url = await issueLink(context.features, resetLinkOf(account), 'command');
    context.commandLine.report(url, { email: account.email, link: url });
  },
};

/** Changes name, address, role or further claims of an account. */
export const updateAccountCommand: Command = {
  usage: 'accounts update --email E [--name N] [--new-email E] [--role ADMIN|EDITOR|VIEWER] [--claims-stdin]',
  run: async (args, context) => {
    const options = readOptions(args, ['email', 'name', 'new-email', 'role', 'claims-stdin']);
    const account = await findAccount(options, context);
    const { name, role, 'new-email': email } = options;
    requireAll([
      ...(name === undefined ? [] : problemOf('--name', nameProblem(name))),
      ...(role === undefined ? [] : problemOf('--role', roleProblem(role))),
      ...(email === undefined ? [] : problemOf('--new-email', emailProblem(email))),
    ]);
    const claims = options['claims-stdin'] === undefined ? undefined : await readClaims(context);
    const changes = { name, email, role: role === undefined ? undefined : toRole(role), claims };
    if ((await changeAccount(context.features, account.id, changes, 'command')) === 'taken') {
      throw new Error(`There is an account with the address ${email} already.`);
    }
    context.commandLine.report(
      `Changed ${account.email}. Tokens issued from now on say so; where it may do less, older ones end.`,
      { id: account.id, email: email ?? account.email },
    );
  },
};

/** Disables an account and ends everything that it has begun. */
export const disableAccountCommand: Command = {
  usage: 'accounts disable --email E',
  run: async (args, context) => {
    const account = await findAccount(readOptions(args, ['email']), context);
    const ended = await disableAccount(context.features, account.id, 'command');
    const { id, email } = account;
    context.commandLine.report(`Disabled ${email} and ended ${ended} grants.`, {
      id,
      email,
      ended_grants: ended,
    });
  },
};

/** Lets a disabled account sign in again. */
export const enableAccountCommand: Command = {
  usage: 'accounts enable --email E',
  run: async (args, context) => {
    const account = await findAccount(readOptions(args, ['email']), context);
    await enableAccount(context.features, account.id, 'command');
    const { id, email } = account;
    context.commandLine.report(`Enabled ${email}.`, { id, email });
  },
};

/** Shows an account, without its password, as a JSON object. */
export const showAccountCommand: Command = {
  usage: 'accounts show --email E',
  run: async (args, context) => {
    const account = await findAccount(readOptions(args, ['email']), context);
    const { passwordHash: _secret, credentialsChangedAt: _at, updatedAt: _then, ...shown } = account;
    context.commandLine.list(shown);
  },
};

async function findAccount(options: CommandOptions, { features }: CommandContext): Promise<Account> {
  const email = requiredOption(options, 'email');
  const account = await features.accounts.findByEmail(email);
  if (!account) throw new Error(`There is no account with the address ${email}.`);
  return account;
}

/** All that is wrong with who the account is for. */
function accountProblems({ email, name, role }: CommandOptions): readonly string[] {
  return [
    ...problemOf('--email', email === undefined ? 'is needed' : emailProblem(email)),
    ...problemOf('--name', nameProblem(name ?? '')),
    ...problemOf('--role', role === undefined ? 'is needed' : roleProblem(role)),
  ];
}

function problemOf(option: string, problem: string | undefined): readonly string[] {
  if (problem === undefined) return [];
  return [problem === 'is needed' ? `${option} is needed.` : `${option}: ${problem}.`];
}

function requireAll(problems: readonly string[]): void {
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
}

async function readClaims({ commandLine }: CommandContext): Promise<Readonly<Record<string, unknown>>> {
  const text = await commandLine.readStdin();
  const parsed = parseAccountClaims(parseJson(text));
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
  return parsed.claims;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('Standard input is not JSON.', { cause: error });
  }
}
