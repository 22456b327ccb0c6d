import { replaceSigningKeys, rotateSigningKeys } from '../keys/signing-keys.ts';
import type { Command } from './command.ts';
import { readOptions } from './command-line.ts';

/** Replaces the signing keys: now, or as soon as the next ones have been published long enough. */
export const rotateKeysCommand: Command = {
  usage: 'keys rotate',
  run: async (args, { features, commandLine }) => {
    readOptions(args, []);
    const { activated, waitS } = await rotateSigningKeys(features.signingKeys, false);
    if (waitS > 0) {
      const moment = new Date(features.clock() + waitS * 1000).toISOString();
      commandLine.report(`The next keys are published and sign from ${moment} on, in ${waitS} s.`, {
        signing: [],
        next_from: moment,
      });
      return;
    }
    features.audit.record({ event: 'keys_rotated', kids: activated, by: 'command' });
    commandLine.report(
      `These keys sign now: ${activated.join(', ')}. Running servers follow within seconds.`,
      { signing: activated },
    );
  },
};

/** Replaces all keys that have signed, and invalidates what they signed: for compromised keys. */
export const replaceKeysCommand: Command = {
  usage: 'keys replace',
  run: async (args, { features, commandLine }) => {
    readOptions(args, []);
    const kids = await replaceSigningKeys(features.signingKeys);
    features.audit.record({ event: 'keys_rotated', kids, by: 'command' });
    commandLine.report(
      `These keys sign now: ${kids.join(', ')}. Tokens that older keys signed are rejected as soon as key sets are fetched again.`,
      { signing: kids },
    );
  },
};

/** Lists the keys, one JSON object a line. */
export const listKeysCommand: Command = {
  usage: 'keys list',
  run: async (args, { features, commandLine }) => {
    readOptions(args, []);
    for (const { kid, algorithm, state, createdAt } of await features.signingKeys.store.list()) {
      commandLine.list({ kid, algorithm, state, created_at: new Date(createdAt).toISOString() });
    }
  },
};
