import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { expect } from 'vitest';

/** Opens a pipe to write as soon as it is read. It stays open: who reads it waits for ever. */
export async function openOnceRead(pipe: string): Promise<FileHandle> {
  let file: FileHandle | undefined;
  const flags = constants.O_WRONLY | constants.O_NONBLOCK;
  await expect
    .poll(async () => (file = await open(pipe, flags).catch(() => undefined)), { timeout: 60_000 })
    .toBeDefined();
  return file as unknown as FileHandle; // just now
}
