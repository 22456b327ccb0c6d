import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ProcessConfig } from './deployable.ts';
import { CannotStart } from './failed-start.ts';
import { runDeployable } from './run-deployable.ts';

const config: ProcessConfig = { LOG_LEVEL: 'silent', OPERATIONS_PORT: 0, OPERATIONS_HOST: '127.0.0.1' };

/** In the place of the end of the process. */
class Exit extends Error {}

afterEach(() => vi.restoreAllMocks());

/** What is printed, and the status that the process ends with. */
async function failing(reason: Error): Promise<{ printed: string; status: unknown }> {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Exit();
  });
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const program = { service: 'test', readConfig: () => config, start: () => Promise.reject(reason) };
  await expect(runDeployable(program, {})).rejects.toThrow(Exit);
  return {
    printed: stderr.mock.calls.map(([text]) => String(text)).join(''),
    status: exit.mock.calls[0]?.[0],
  };
}

describe('a deployable that can not start', () => {
  it('prints a reason that is told in words, without a stack', async () => {
    const { printed, status } = await failing(new CannotStart('There is no such file.'));
    expect([printed, status]).toEqual(['There is no such file.\n', 1]);
  });

  it('says which variable is to be changed when a port is taken', async () => {
    const taken = Object.assign(new Error('listen'), { code: 'EADDRINUSE', port: 4000 });
    const { printed, status } = await failing(taken);
    expect(printed).toMatch(/^Port 4000 is in use by another program\. .* PORT to another port/);
    expect(status).toBe(1);
  });

  it('logs a failure of its own, and prints nothing', async () => {
    expect(await failing(new Error('a fault'))).toEqual({ printed: '', status: 1 });
  });
});
