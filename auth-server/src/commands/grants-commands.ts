import type { Command } from './command.ts';
import { readOptions, UsageError } from './command-line.ts';

/** Ends one grant, or all of an account. */
export const revokeGrantsCommand: Command = {
  usage: 'grants revoke --grant=G | --email E',
  run: async (args, { features, commandLine }) => {
    const { grant, email } = readOptions(args, ['grant', 'email']);
    if ((grant === undefined) === (email === undefined)) throw new UsageError('Give --grant or --email.');
    if (grant !== undefined) {
      const wasLive = await features.revoker.revoke(grant, 'operator');
      commandLine.report(
        wasLive ? `Ended the grant ${grant}.` : `The grant ${grant} had ended or never was.`,
        { grant, ended: wasLive },
      );
      return;
    }
    const account = await features.accounts.findByEmail(email ?? '');
    if (!account) throw new Error(`There is no account with the address ${email}.`);
    const ended = await features.revoker.revokeOfAccount(account.id, 'operator');
    commandLine.report(`Ended ${ended} grants of ${account.email}.`, {
      email: account.email,
      ended_grants: ended,
    });
  },
};
