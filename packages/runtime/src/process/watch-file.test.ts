import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { stampFile, watchFile } from './watch-file.ts';

const POLL_MS = 5;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-watch-'));
  path = join(folder, 'file');
  return () => rmSync(folder, { recursive: true });
});

/** Watches the file from a moment on. @returns what is called back */
function watched(since: ReturnType<typeof stampFile>) {
  const changed = vi.fn();
  onTestFinished(watchFile(since, changed, POLL_MS));
  return changed;
}

describe('A file that is watched', () => {
  it.each<[string, () => void]>([
    ['is written', () => writeFileSync(path, 'other')],
    ['is written with as many bytes', () => writeFileSync(path, 'two')],
    ['is removed', () => rmSync(path)],
    ['is touched', () => utimesSync(path, 1, 1)],
    [
      'is replaced by a rename',
      () => {
        writeFileSync(join(folder, 'new'), 'one');
        renameSync(join(folder, 'new'), path);
      },
    ],
  ])('%s before it is watched, and after it was stamped: that is a change', async (_what, change) => {
    writeFileSync(path, 'one');
    const stamped = stampFile(path);
    change();
    const changed = watched(stamped);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
  });

  it('appears after it was stamped', async () => {
    const changed = watched(stampFile(path));
    writeFileSync(path, 'one');
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
  });

  it('that stays as it is calls nothing back', async () => {
    writeFileSync(path, 'one');
    const changed = watched(stampFile(path));
    await sleep(10 * POLL_MS);
    expect(changed).not.toHaveBeenCalled();
  });

  it('that is a pipe is not changed by being written to and read', async () => {
    execFileSync('mkfifo', [path]);
    const changed = watched(stampFile(path));
    const pipe = await open(path, 'r+');
    await pipe.write('secret');
    await pipe.read(Buffer.alloc(6));
    await sleep(10 * POLL_MS);
    await pipe.close();
    expect(changed).not.toHaveBeenCalled();
  });
});
