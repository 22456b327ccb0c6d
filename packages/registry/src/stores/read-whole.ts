import { readFile, stat } from 'node:fs/promises';
import { RegistryError, type RegistryErrorCode } from '../registry-error.ts';

/** A kind of file of a registry. */
export interface StoredFile {
  readonly atMostBytes: number;
  /** What it means that a folder, a pipe or a device stands in its place. */
  readonly codeOfOthers: RegistryErrorCode;
}

/**
 * The content of a file in a folder that others write to, too. What is no file is not opened: a pipe would never end, and each read of one
 * takes a thread of the process.
 *
 * @returns undefined where there is none
 * @throws RegistryError TOO_LARGE, or the code of what is no file; Error with a system call
 */
export async function readWhole(
  path: string,
  { atMostBytes, codeOfOthers }: StoredFile,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const found = await stat(path).catch(absent);
  if (!found) return undefined;
  if (!found.isFile())
    throw new RegistryError(codeOfOthers, `${path} is no file: something else was put in its place.`);
  if (found.size > atMostBytes)
    throw new RegistryError('TOO_LARGE', `${path} has ${found.size} bytes, ${atMostBytes} are allowed.`);
  return readFile(path, { signal }).catch(absent);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
