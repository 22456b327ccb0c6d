import { rotateSigningKeys } from '../tokens/signing-keys.ts';
import type { Command } from './command.ts';
import { readOptions } from './command-line.ts';

/** Replaces the signing keys now, as far as the next ones have been published long enough. */
export const rotateKeys: Command = {
  usage: 'keys rotate',
  run: async (args, { services, signingKeys, commandLine }) => {
    readOptions(args, []);
    const { activated, waitS } = await rotateSigningKeys(signingKeys, false);
    if (activated.length > 0) {
      services.audit.record({ event: 'keys_rotated', kids: activated });
      commandLine.print(
        `These keys sign now: ${activated.join(', ')}. Running servers follow within seconds.`,
      );
    }
    if (waitS > 0)
      throw new Error(`The next key has not been published long enough; try again in ${waitS} s.`);
  },
};
