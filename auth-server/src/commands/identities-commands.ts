import type { Identity } from '../accounts/identity-store.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions, requiredOption, UsageError, type CommandOptions } from './command-line.ts';

/** Says which user of a trusted issuer has an account: its tokens are then taken for that account's. */
export const linkIdentityCommand: Command = {
  usage: 'accounts link --email E --issuer I --subject S',
  run: async (args, { features, commandLine }) => {
    const options = readOptions(args, ['email', 'issuer', 'subject']);
    const email = requiredOption(options, 'email');
    const identity = readIdentity(options, { features, commandLine });
    const account = await features.accounts.findByEmail(email);
    if (!account) throw new Error(`There is no account with the address ${email}.`);
    const owner = await features.identities.link(identity, account.id);
    if (owner !== account.id) throw new Error('Another account is linked to this user of the issuer.');
    const { issuer } = identity;
    features.audit.record({ event: 'identity_linked', subject: account.id, issuer, by: 'command' });
    commandLine.report(`Linked ${account.email} to ${identity.subject} of ${issuer}.`, {
      ...identity,
      email: account.email,
    });
  },
};

/** Removes the link, and ends the access tokens of the account: some may have come by it. */
export const unlinkIdentityCommand: Command = {
  usage: 'accounts unlink --issuer I --subject S',
  run: async (args, { features, commandLine }) => {
    const options = readOptions(args, ['issuer', 'subject']);
    const issuer = requiredOption(options, 'issuer');
    const subject = await features.identities.unlink({ issuer, subject: requiredOption(options, 'subject') });
    if (subject === undefined) throw new Error('No account is linked to this user of the issuer.');
    features.audit.record({ event: 'identity_unlinked', subject, issuer, by: 'command' });
    await features.revoker.revokeTokens({ kind: 'user', subject }, 'account_changed');
    commandLine.report(
      `Unlinked ${options['subject']} of ${issuer}, and ended the access tokens of the account.`,
      { issuer, subject: options['subject'], account: subject },
    );
  },
};

function readIdentity(
  options: CommandOptions,
  { features }: Pick<CommandContext, 'features' | 'commandLine'>,
): Identity {
  const issuer = requiredOption(options, 'issuer');
  if (!features.issuers.isKnown(issuer)) throw new UsageError(`${issuer} is not in TRUSTED_ISSUERS_FILE.`);
  return { issuer, subject: requiredOption(options, 'subject') };
}
