import { link, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The calls that decide whether a record exists. */
export interface FolderDisk {
  /** Writes and syncs a file that must not exist. */
  readonly write: (path: string, content: Uint8Array) => Promise<void>;
  /** link(2): fails with EEXIST where the name exists. */
  readonly link: (from: string, to: string) => Promise<void>;
  readonly syncFolder: (path: string) => Promise<void>;
  /** utimes(2): fails with EPERM where the file is another user's. */
  readonly setTime: (path: string, time: Date) => Promise<void>;
}

/** The calls of the operating system. */
export const realDisk: FolderDisk = {
  write: async (path, content) => {
    const file = await open(path, 'wx', 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  link,
  syncFolder,
  setTime: (path, time) => utimes(path, time, time),
};

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders; NTFS writes names through its journal.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Makes a folder and those above it, and syncs what is new. */
export async function makeFolder(disk: FolderDisk, path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made))
    await disk.syncFolder(dirname(made));
}

/**
 * Creates a whole file under a name that nothing has, and syncs file and folder.
 *
 * NFS may run a link twice, or lose its response: after an error the name is read back, and counts as created where it holds this
 * content. Records are never equal by chance.
 *
 * @returns false where something else has the name
 */
export async function linkIfAbsent(
  disk: FolderDisk,
  temporary: string,
  path: string,
  content: Uint8Array,
): Promise<boolean> {
  try {
    await disk.write(temporary, content);
    try {
      await disk.link(temporary, path);
    } catch (error) {
      const stored = await readFile(path).catch(() => undefined);
      if (!stored) throw error;
      if (!stored.equals(content)) return false;
    }
    await disk.syncFolder(dirname(path));
    return true;
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined); // leftovers are deleted by gc
  }
}

/** Puts a whole file in the place of another: of a damaged one, or of another user's. */
export async function createDurably(
  disk: FolderDisk,
  temporary: string,
  path: string,
  content: Uint8Array,
): Promise<void> {
  try {
    await disk.write(temporary, content);
    await rename(temporary, path);
    await disk.syncFolder(dirname(path));
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined); // leftovers are deleted by gc
  }
}

/** Counts a file as written now. @returns whether it does; 'foreign': only the user whose file it is may do that */
export async function touch(disk: FolderDisk, path: string): Promise<'young' | 'absent' | 'foreign'> {
  try {
    await disk.setTime(path, new Date());
    return 'young';
  } catch (error) {
    if (isCode(error, 'ENOENT')) return 'absent';
    if (isCode(error, 'EPERM')) return 'foreign';
    throw error;
  }
}

/**
 * Deletes a file that was not written since a time. It is moved aside first: a publisher that counts on it has either made it young
 * before, which is seen here, or finds it missing and writes it.
 */
export async function removeIfOld(path: string, aside: string, writtenBefore: Date): Promise<boolean> {
  try {
    if ((await stat(path)).mtime >= writtenBefore) return false;
    await rename(path, aside);
    if ((await stat(aside)).mtime < writtenBefore) {
      await rm(aside);
      return true;
    }
    await putBack(aside, path);
    return false;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Puts a file back that was moved aside, unless it was written again. */
export async function putBack(aside: string, path: string): Promise<void> {
  try {
    await link(aside, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST') && !isCode(error, 'ENOENT')) throw error;
  }
  await rm(aside, { force: true });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
