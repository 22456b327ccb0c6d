import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { runBuilder } from './run-builder.ts';

const build = (code: string, signal: AbortSignal = AbortSignal.timeout(20_000)): Promise<void> =>
  runBuilder({ site: 'The site', args: ['-e', code], cwd: tmpdir() }, signal);

describe('A builder', () => {
  it('that succeeds says nothing; one that fails says what it printed last', async () => {
    await expect(build('')).resolves.toBeUndefined();
    const failed = build("console.log('x'.repeat(9000)); console.error('no entry'); process.exitCode = 2");
    await expect(failed).rejects.toThrow(/^The site could not be built\.\nx{3000,}\nno entry\n$/);
  });

  it('that is aborted ends with all that it has started', async () => {
    const directory = createTemporaryDirectory();
    const startedFile = join(directory.path, 'started');
    const startsAnother = `
      const { pid } = require('child_process').spawn('sleep', ['600']);
      require('fs').writeFileSync(${JSON.stringify(startedFile)}, String(pid));
      setInterval(() => {}, 1000);`;
    const aborting = new AbortController();
    const building = build(startsAnother, aborting.signal).catch((reason: unknown) => reason);
    const startedPid = (): number => Number(existsSync(startedFile) && readFileSync(startedFile, 'utf8'));
    await expect.poll(startedPid).toBeGreaterThan(0);
    expect(isRunning(startedPid())).toBe(true);
    aborting.abort();
    expect(((await building) as Error).message).toContain('It took too long.');
    await expect.poll(() => isRunning(startedPid())).toBe(false);
    directory.remove();
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
