import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * Replaces a file in one step, so that a gateway that watches it never reads half of it. A symbolic link stays, and the file behind it is
 * replaced. What is no file, such as `/dev/null` or a pipe, is written to: a file in its place would stay there for all programs.
 *
 * @param mode who may read it. @default as the process makes files
 * @throws Error with the system call; it names the file as it was given
 */
export async function writeFileAtomically(file: string, content: string, mode = 0o666): Promise<void> {
  const target = await realpath(file).catch(() => file); // a new file
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    if (await isDevice(target)) return await writeFile(target, content);
    await writeFile(temporary, content, { mode });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw naming(file, temporary, error);
  }
}

/** Whether something stands there that is neither a file nor a folder. */
async function isDevice(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Users know no temporary file. */
function naming(file: string, temporary: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const message = error.message.replaceAll(temporary, file);
  return Object.assign(error, { message, path: file });
}
