import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../config/config-error.ts';
import type { ProcessConfig } from './deployable.ts';
import { freePort } from './free-port.ts';
import { StartupError } from './startup-error.ts';
import { runDeployable } from './run-deployable.ts';

const config: ProcessConfig = { LOG_LEVEL: 'silent', OPERATIONS_PORT: 0, OPERATIONS_HOST: '127.0.0.1' };

/** In the place of the end of the process. */
class Exit extends Error {}

afterEach(() => vi.restoreAllMocks());

/** What is printed, and the status that the process ends with. */
async function failing(
  reason: Error,
  {
    readConfig = () => config,
    flags = {},
  }: { readConfig?: () => ProcessConfig; flags?: Record<string, string> } = {},
): Promise<{ printed: string; status: unknown }> {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Exit();
  });
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const program = { service: 'test', readConfig, start: () => Promise.reject(reason) };
  await expect(runDeployable(program, {}, { flags })).rejects.toThrow(Exit);
  return {
    printed: stderr.mock.calls.map(([text]) => String(text)).join(''),
    status: exit.mock.calls[0]?.[0],
  };
}

describe('a deployable that can not start', () => {
  it('prints a known reason in words, without a stack', async () => {
    const { printed, status } = await failing(new StartupError('There is no such file.'));
    expect([printed, status]).toEqual(['There is no such file.\n', 1]);
  });

  it('says which variable is to be changed when a port is taken', async () => {
    const taken = Object.assign(new Error('listen'), { code: 'EADDRINUSE', port: 4000 });
    const { printed, status } = await failing(taken);
    expect(printed).toMatch(/^Port 4000 is in use by another program\. .* PORT to another port/);
    expect(status).toBe(1);
  });

  it('names the flag where the port was given by one', async () => {
    const flags = { PORT: '--port', GATEWAY_PORT: '--port' };
    const taken = Object.assign(new Error('listen'), { code: 'EADDRINUSE', port: 4000 });
    expect((await failing(taken, { flags })).printed).toContain('or set --port to another port');
    vi.restoreAllMocks();
    const readConfig = (): never => {
      throw new ConfigError('gateway', ['GATEWAY_PORT: must be a whole number.']);
    };
    const { printed, status } = await failing(taken, { readConfig, flags });
    expect(printed).toBe('The configuration of gateway is invalid:\n  - --port: must be a whole number.\n');
    expect(status).toBe(78);
  });

  it('logs a failure of its own, and prints nothing', async () => {
    expect(await failing(new Error('a fault'))).toEqual({ printed: '', status: 1 });
  });
});

describe('an unhandled error', () => {
  it.each([
    ['an exception', "setImmediate(() => { throw new Error('a fault'); })", 'uncaughtException'],
    ['a rejection', "void Promise.reject(new Error('a fault'))", 'unhandledRejection'],
  ])(
    'that is %s is logged in the format of the log, and ends the process in order',
    (_name, fault, origin) => {
      const { status, stdout, stderr } = runProgram(fault);
      expect([status, stderr]).toEqual([1, '']);
      const records = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(records.at(-2)).toMatchObject({
        level: 60,
        service: 'test',
        origin,
        err: { message: 'a fault' },
        msg: 'uncaught error; ending the process',
      });
      expect(records.at(-1)).toMatchObject({ msg: 'closed' });
    },
  );
});

describe('an operations port that another program has', () => {
  it('gives way to the next free one where no one has asked for it, said on standard error, for programs that start at the same time', async () => {
    const port = await freePort();
    const programs = [startProgram(port, true), startProgram(port, true), startProgram(port, true)];
    try {
      const started = await Promise.all(programs.map(({ outcome }) => outcome));
      const ports = started.map(({ operationsUrl = '' }) => new URL(operationsUrl).port).toSorted();
      expect(ports).toContain(String(port));
      expect(new Set(ports).size).toBe(3);
      for (const { operationsUrl = '', printed } of started) {
        expect((await fetch(`${operationsUrl}/metrics`)).status).toBe(200);
        const said = `Port ${port} is in use by another program: metrics are at ${operationsUrl}/metrics.\n`;
        expect(printed).toBe(operationsUrl.endsWith(`:${port}`) ? '' : said);
      }
    } finally {
      for (const { stop } of programs) stop();
    }
  });

  it('ends the start where it was asked for', async () => {
    const port = await freePort();
    const first = startProgram(port, false);
    try {
      await first.outcome;
      const { operationsUrl, printed } = await startProgram(port, false).outcome;
      expect(operationsUrl).toBeUndefined();
      expect(printed).toMatch(
        new RegExp(`^Port ${port} is in use by another program\\. .* OPERATIONS_PORT to another`),
      );
    } finally {
      first.stop();
    }
  });
});

/** What a program has printed on standard error until it was ready, or ended. */
interface StartOutcome {
  /** Absent where it ended. */
  readonly operationsUrl?: string;
  readonly printed: string;
}

/** Starts a deployable in a process of its own, which serves until it is stopped. */
function startProgram(
  operationsPort: number,
  takesNextOperationsPort: boolean,
): { readonly outcome: Promise<StartOutcome>; readonly stop: () => void } {
  const program = `
    import { runDeployable } from '@trellis/runtime';
    const config = { LOG_LEVEL: 'info', OPERATIONS_PORT: ${operationsPort}, OPERATIONS_HOST: '127.0.0.1' };
    const start = async () => ({ url: '', close: async () => undefined });
    await runDeployable({ service: 'test', readConfig: () => config, start }, {}, { takesNextOperationsPort: ${takesNextOperationsPort} });`;
  const child = spawn(process.execPath, evaluating(program), PROGRAM_FOLDER);
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const outcome = new Promise<StartOutcome>((resolve) => {
    child.once('close', () => resolve({ printed }));
    createInterface(child.stdout).on('line', (line) => {
      const { msg, operationsUrl } = JSON.parse(line) as { msg: string; operationsUrl: string }; // as it is logged
      if (msg === 'ready') setTimeout(() => resolve({ operationsUrl, printed }), PRINTED_WITHIN_MS);
    });
  });
  return { outcome, stop: () => void child.kill('SIGKILL') };
}

/** What was written to one pipe may be read after what was written later to another. */
const PRINTED_WITHIN_MS = 200;

const PROGRAM_FOLDER = { cwd: fileURLToPath(new URL('..', import.meta.url)) };

function evaluating(program: string): string[] {
  return [
    '--conditions=trellis-source',
    '--import',
    import.meta.resolve('tsx'),
    '--input-type=module',
    '--eval',
    program,
  ];
}

/** Runs a deployable in a process of its own, which does something as soon as it serves. */
function runProgram(statement: string): ReturnType<typeof spawnSync> & { stdout: string; stderr: string } {
  const program = `
    import { runDeployable } from '@trellis/runtime';
    const config = { LOG_LEVEL: 'info', OPERATIONS_PORT: 0, OPERATIONS_HOST: '127.0.0.1' };
    const start = async (_config, { logger }) => ({ url: '', close: async () => logger.info('closed') });
    await runDeployable({ service: 'test', readConfig: () => config, start }, {});
    ${statement};`;
  return spawnSync(process.execPath, evaluating(program), {
    ...PROGRAM_FOLDER,
    encoding: 'utf8',
    timeout: 30_000,
  });
}
