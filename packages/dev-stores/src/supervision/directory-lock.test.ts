import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DirectoryInUse, lockDirectory, ownerOfDirectory, startTimeOf } from '../index.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trellis-lock-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
});

describe('lockDirectory', () => {
  it('makes the directory, and gives it to one holder until it is released', () => {
    const path = join(directory, 'deeper', 'data');
    const lock = lockDirectory(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(ownerOfDirectory(path)).toBe(process.pid);
    expect(() => lockDirectory(path)).toThrow(DirectoryInUse);
    lock.release();
    expect(ownerOfDirectory(path)).toBeUndefined();
    lockDirectory(path).release();
  });

  it('does not take from another what was released before', () => {
    const first = lockDirectory(directory);
    first.release();
    const second = lockDirectory(directory);
    first.release();
    expect(ownerOfDirectory(directory)).toBe(process.pid);
    second.release();
  });

  it('acquires the lock of a process that was killed', async () => {
    const holder = startContender(
      'lockDirectory(directory); console.log("held"); setInterval(() => {}, 1000);',
    );
    await once(holder.stdout, 'data');
    expect(() => lockDirectory(directory)).toThrow(`in use by process ${holder.pid}`);
    const exited = once(holder, 'exit');
    holder.kill('SIGKILL');
    await exited;
    lockDirectory(directory).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each([
    ['a process id that was given again', JSON.stringify({ pid: process.pid, startTime: 'earlier' })],
    ['a process that is gone', JSON.stringify({ pid: 4_194_303, startTime: '1' })],
    ['half a file', '{"pid":'],
    ['an empty file', ''],
  ])('acquires a lock of %s', (_what, content) => {
    writeFileSync(join(directory, 'owner.lock'), content);
    lockDirectory(directory);
    expect(JSON.parse(readFileSync(join(directory, 'owner.lock'), 'utf8'))).toMatchObject({
      pid: process.pid,
    });
  });

  it('knows a process by its id alone on Windows, which has no ps', async () => {
    const other = startContender('setInterval(() => {}, 1000); console.log("there");');
    await once(other.stdout, 'data');
    const pid = other.pid ?? 0;
    expect([startTimeOf(process.pid, 'win32'), startTimeOf(pid, 'win32')]).toEqual(['unknown', 'unknown']);
    const exited = once(other, 'exit');
    other.kill('SIGKILL');
    await exited;
    expect(startTimeOf(pid, 'win32')).toBeUndefined();
  });

  it('gives a stale lock to one of many that want it at once', async () => {
    const contend = `
      import { createInterface } from 'node:readline';
      let lock;
      createInterface({ input: process.stdin }).on('line', (line) => {
        if (line === 'release') { lock?.release(); lock = undefined; return console.log('released'); }
        try { lock = lockDirectory(directory); console.log('won'); } catch (error) { console.log(error.name); }
      });
      console.log('there');
    `;
    const contenders = Array.from({ length: 6 }, () => startContender(contend));
    const next = contenders.map(({ stdout }) => createInterface({ input: stdout })[Symbol.asyncIterator]());
    const heard = () => Promise.all(next.map(async (lines) => String((await lines.next()).value)));
    const send = (line: string) => contenders.forEach(({ stdin }) => stdin.write(`${line}\n`));
    await heard();
    for (let round = 0; round < 50; round += 1) {
      writeFileSync(join(directory, 'owner.lock'), JSON.stringify({ pid: 4_194_303, startTime: '1' }));
      send('acquire');
      expect((await heard()).toSorted()).toEqual([...Array<string>(5).fill('DirectoryInUse'), 'won']);
      send('release');
      await heard();
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  it('waits 5 s for a contender that has the right to remove the lock, and does not', () => {
    writeFileSync(join(directory, 'owner.lock'), JSON.stringify({ pid: 4_194_303, startTime: '1' }));
    const running = JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) });
    writeFileSync(join(directory, 'owner.lock.removal'), running);
    expect(() => lockDirectory(directory)).toThrow(DirectoryInUse);
  });

  it('acquires a lock whose contender was killed while it removed it', () => {
    for (const name of ['owner.lock', 'owner.lock.removal', 'owner.lock.removal.removal'])
      writeFileSync(join(directory, name), JSON.stringify({ pid: 4_194_303, startTime: '1' }));
    lockDirectory(directory);
    expect(readdirSync(directory)).toEqual(['owner.lock']);
  });
});

/** Runs a program that knows `lockDirectory` and `directory` in a process of its own. */
function startContender(program: string) {
  const source = `
    import { lockDirectory } from './index.ts';
    const directory = ${JSON.stringify(directory)};
    ${program}
  `;
  const contender = spawn(
    process.execPath,
    ['--conditions=trellis-source', '--import=tsx', '--input-type=module', '--eval', source],
    { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void contender.kill('SIGKILL'));
  return contender;
}
