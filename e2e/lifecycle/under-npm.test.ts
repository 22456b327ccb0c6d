import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/deadline.ts';
import { exitOf, interruptGroup, startByNpm, type NpmStart } from '../harness/npm-start.ts';

const EXIT_DEADLINE_MS = 12_000;

let temporary: TemporaryDirectory;

beforeAll(() => {
  temporary = createTemporaryDirectory();
});
afterAll(() => temporary.remove());

describe('npm start, with npm between the shell and the platform', { timeout: 150_000 }, () => {
  it('has the settings of the file that CONFIG names, and ends in order when npm is stopped, and npm with it', async () => {
    const origin = 'https://app.example';
    const config = join(temporary.path, 'gateway.yaml');
    writeFileSync(config, `http: { cors: { origins: [${origin}] } }\n`);
    const { npm, processes, addresses } = await start({ CONFIG: config });
    for (const asking of [origin, 'https://other.example']) {
      const response = await fetch(addresses.graph, {
        method: 'OPTIONS',
        headers: { origin: asking, 'access-control-request-method': 'POST' },
      });
      const allowed = asking === origin ? origin : null;
      expect(response.headers.get('access-control-allow-origin')).toBe(allowed);
    }
    npm.kill('SIGTERM');
    expect(await exitOf(npm)).toBe(0);
    expect(processes()).toEqual([]);
  });

  it('takes one Ctrl-C for one, though it comes from the terminal and from npm', async () => {
    const { npm, output, processes } = await start();
    interruptGroup(npm);
    expect(await exitOf(npm)).toBe(0);
    expect(output.all).toContain('Stopping');
    expect(processes()).toEqual([]);
  });

  it('ends when npm is killed, which can notify no process', async () => {
    const { npm, processes } = await start();
    npm.kill('SIGKILL');
    await eventually(
      async () => processes(),
      (left) => left.length === 0,
      EXIT_DEADLINE_MS,
    );
  });
});

/** The next one finds the data of the one before. */
async function start(environment: Readonly<Record<string, string>> = {}): Promise<NpmStart> {
  const started = await startByNpm({ dataDirectory: join(temporary.path, 'data'), environment });
  onTestFinished(() => started.killAll());
  return started;
}
