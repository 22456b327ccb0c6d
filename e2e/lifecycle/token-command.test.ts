import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { inheritedEnvironment, root } from '../harness/running-program.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { claimsOf } from '../harness/token-endpoint.ts';

const { addresses, environment } = sharedPlatform();

describe('npm run -s token', () => {
  it('prints a token of the administrator and nothing else, which the graph accepts', async () => {
    const { output, code } = await npmToken([]);
    expect(code).toBe(0);
    expect(output).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const response = await askGraph<{ me: { role: string } }>(addresses.graph, {
      query: '{ me { role } }',
      token: output.trim(),
    });
    expect(dataOf(response).me.role).toBe('ADMIN');
  });

  it('takes another account and another scope', async () => {
    const { output } = await npmToken(['--account', 'vi@example.com', '--scope', 'openid read:data']);
    expect(claimsOf(output)).toMatchObject({ roles: ['VIEWER'], scope: 'openid read:data' });
  });

  it('says on the error output why there is none', async () => {
    const unknown = await npmToken(['--account', 'unknown@example.com']);
    expect([unknown.code, unknown.output]).toEqual([1, '']);
    expect(unknown.errors).toContain(
      'There is no demo account unknown@example.com; there are ada@example.com',
    );
    const absent = await npmToken(['--issuer', 'http://localhost:1']);
    expect([absent.code, absent.output]).toEqual([1, '']);
    expect(absent.errors).toContain('npm start');
  });
});

async function npmToken(args: readonly string[]): Promise<{ output: string; errors: string; code: unknown }> {
  const child = spawn('npm', ['run', '-s', 'token', '--', ...args], {
    cwd: root,
    env: { ...inheritedEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { output, errors, code };
}
