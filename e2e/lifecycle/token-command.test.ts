import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { inheritedEnvironment, root, startProgram, type ProgramName } from '../harness/running-program.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { claimsOf } from '../harness/token-endpoint.ts';

const DEADLINE_MS = 60_000;
const { addresses, environment } = sharedPlatform();

describe('--json of commands that need a running platform', () => {
  it('prints one JSON document, of token and of search, and one a line of auth-server', async () => {
    const calls = [['token'], ['search', 'rebuild'], ['auth-server', 'keys', 'list']] as const;
    const [issued, index, keys] = await Promise.all(
      calls.map(async ([name, ...args]) => {
        const { output, code } = await run(name, [...args, '--json']);
        expect([name, code]).toEqual([name, 0]);
        const documents = output.trimEnd().split(name === 'auth-server' ? '\n' : /$/u);
        return documents.map((document) => JSON.parse(document) as unknown);
      }),
    );
    expect(issued).toEqual([
      expect.objectContaining({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
        account: 'ada@example.com',
        issuer: addresses.issuer,
      }),
    ]);
    expect(index).toEqual([expect.objectContaining({ seconds: expect.any(Number) as number })]);
    expect(keys).toContainEqual(expect.objectContaining({ kid: expect.any(String) as string }));
  });
});

describe('npm run -s token', () => {
  it('prints a token of the administrator and nothing else, which the graph accepts', async () => {
    const { output, code } = await npmToken();
    expect(code).toBe(0);
    expect(output).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const response = await askGraph<{ me: { role: string } }>(addresses.graph, {
      query: '{ me { role } }',
      token: output.trim(),
    });
    expect(dataOf(response).me.role).toBe('ADMIN');
  });

  it('takes another account and another scope', async () => {
    const { output } = await token(['--account', 'vi@example.com', '--scope', 'openid read:data']);
    expect(claimsOf(output)).toMatchObject({ roles: ['VIEWER'], scope: 'openid read:data' });
  });

  it('says on the error output why there is none', async () => {
    const unknown = await token(['--account', 'unknown@example.com']);
    expect([unknown.code, unknown.output]).toEqual([1, '']);
    expect(unknown.errors).toContain(
      'There is no demo account unknown@example.com; there are ada@example.com',
    );
    const absent = await token(['--issuer', 'http://localhost:1']);
    expect([absent.code, absent.output]).toEqual([1, '']);
    expect(absent.errors).toContain('npm start');
  });
});

interface Ended {
  readonly output: string;
  readonly errors: string;
  readonly code: unknown;
}

function token(args: readonly string[]): Promise<Ended> {
  return run('token', args);
}

/** Runs what the npm command of this name does, compiled where the run of tests has compiled it. */
async function run(name: ProgramName, args: readonly string[]): Promise<Ended> {
  const program = startProgram(name, { args, environment });
  const { code } = await program.ended(DEADLINE_MS);
  const { standard, all } = program.output;
  return { output: standard, errors: all, code };
}

/** Runs it as a reader types it. */
async function npmToken(): Promise<Pick<Ended, 'output' | 'code'>> {
  const child = spawn('npm', ['run', '-s', 'token'], {
    cwd: root,
    env: { ...inheritedEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { output, code };
}
