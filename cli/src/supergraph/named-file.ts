import { readFile } from 'node:fs/promises';
import { printable } from '@trellis/composition';
import { fileFailure } from '@trellis/runtime/file-failure';

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
export function printableFailure(error: Error): string {
  return printable(fileFailure(error));
}
