import { readFile } from 'node:fs/promises';
import { RegistryError } from '@trellis/registry';

/**
 * The text of a key, or of a set of keys, that was given as JSON or as the name of a file.
 *
 * @param given what a user gave. It is in no message: a private key with a quote too many is neither JSON nor a file
 * @param named who gave it, for messages: `--key or TRELLIS_SIGNING_KEY`
 * @throws RegistryError INVALID_KEY where it is neither JSON nor a file that can be read
 */
export async function readKeyText(given: string, named: string): Promise<string> {
  if (given.trimStart().startsWith('{')) return given;
  return readFile(given, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new RegistryError(
      'INVALID_KEY',
      `${named} is neither JSON that begins with { nor a file that can be read (${error.code ?? error.name}).`,
    );
  });
}
