import { tmpdir } from 'node:os';
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
    const signal = AbortSignal.timeout(700);
    const startsAnother =
      "const { pid } = require('child_process').spawn('sleep', ['60']); console.log('started ' + pid + '.'); setInterval(() => {}, 1000);";
    const error = (await build(startsAnother, signal).catch((reason: unknown) => reason)) as Error;
    const [, pid = ''] = /started (\d+)\./.exec(error.message) ?? [];
    expect(error.message).toContain('It took too long.');
    await expect.poll(() => isRunning(Number(pid))).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
