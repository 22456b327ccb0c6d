import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('../bin/trellis.mjs', import.meta.url));
const ESCAPE = '\u{1B}[';
const hasScript = spawnSync('script', ['--version']).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'real-terminal-'));
  writeFileSync(
    join(folder, 'supergraph.yaml'),
    'subgraphs:\n  a: { routing_url: "http://a", schema: { sdl: "type Query { x: Missing }" } }\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a terminal shows of a command, by script(1), which has a real one. */
async function show(command: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const { CI: _ci, NO_COLOR: _no, FORCE_COLOR: _yes, ...inherited } = process.env;
  const options = { env: { ...inherited, TERM: 'xterm', ...environment }, timeout: 60_000 };
  const line = `'${process.execPath}' '${program}' ${command}; true`;
  return (await execute('script', ['-qec', line, '/dev/null'], options)).stdout;
}

describe('At a real terminal', () => {
  it('compose shows what goes on, erases it, and colours what is wrong; NO_COLOR and pipes have none', async ({
    skip,
  }) => {
    skip(!hasScript, 'There is no script(1) on this machine, which gives a command a terminal.');
    const command = `compose --config '${join(folder, 'supergraph.yaml')}'`;
    const [colored, plain, piped] = await Promise.all([
      show(command),
      show(command, { NO_COLOR: '1' }),
      show(`${command} 2>&1 | cat`),
    ]);
    expect(colored.replaceAll(ESCAPE, 'ESC')).toMatch(/\rESC2K.*Composing … \d\.\d s\r+ESC2K/);
    expect(colored).toContain(`${ESCAPE}1m${ESCAPE}31merror:`);
    expect(plain).toContain('Composing …');
    expect(plain.replaceAll(`${ESCAPE}2K`, '')).not.toContain(ESCAPE);
    expect(plain).toContain('error: ');
    expect(piped).toMatch(/^error: /);
    expect(piped).not.toContain(ESCAPE);
  });
});
