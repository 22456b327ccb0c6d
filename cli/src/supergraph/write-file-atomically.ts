import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Replaces a file in one step, so that a gateway that watches it never reads half of it.
 *
 * @param mode who may read it. @default as the process makes files
 */
export async function writeFileAtomically(file: string, content: string, mode = 0o666): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, content, { mode });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
