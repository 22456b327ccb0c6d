import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { lstat, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomically } from './write-file-atomically.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('A file of a result', () => {
  it('is written to what is no file, as /dev/null is: nothing takes its place', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    await writeFileAtomically(pipe, 'text');
    expect((await lstat(pipe)).isFIFO()).toBe(true);
    expect((await reader.read(Buffer.alloc(16))).bytesRead).toBe(4);
    await reader.close();
  });

  it('takes the place of the file behind a symbolic link, which stays', async () => {
    await writeFile(join(folder, 'file'), 'before');
    await symlink('file', join(folder, 'link'));
    await writeFileAtomically(join(folder, 'link'), 'after');
    expect((await lstat(join(folder, 'link'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('after');
  });

  it('that can not be written is named as it was given, and leaves nothing', async () => {
    const missing = join(folder, 'no', 'file');
    for (const file of [missing, folder]) {
      const error: unknown = await writeFileAtomically(file, 'text').catch((caught: unknown) => caught);
      expect(error).toMatchObject({ path: file, message: expect.not.stringContaining('.tmp') as string });
    }
    expect(await readdir(folder)).toEqual([]);
  });
});
