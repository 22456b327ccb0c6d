import { readFile } from 'node:fs/promises';
import { printable } from '@trellis/composition';

/**
 * The text of a file that was named on a command line.
 *
 * @throws Error with the system call, and the name of the file: Node.js leaves that out for a folder
 */
export async function readNamedFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    error.path ??= file;
    throw error;
  });
}

/** What is wrong with a file, as one sentence: what others wrote moves no cursor. */
export function fileFailure(error: Error): string {
  const { code, path, message }: NodeJS.ErrnoException = error;
  const name = path === undefined || path === '' ? undefined : path;
  if (code === 'ENOENT') return printable(`There is no file or directory for ${name ?? 'a name'}.`);
  if (code === 'EISDIR') return printable(`${name ?? 'What was named'} is a directory, not a file.`);
  return printable(message);
}
