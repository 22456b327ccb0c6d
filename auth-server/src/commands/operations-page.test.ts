import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { obtainTokens, type Tokens } from '../testing/flow.ts';
import { runCommand } from '../testing/run-command.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

const page = readFileSync(new URL('../../../docs/auth-operations.md', import.meta.url), 'utf8');
const commands = [...page.matchAll(/`((?:accounts|audit|clients|grants|keys) [^`]+)`/g)].map(
  ([, command = '']) => command,
);

let server: TestAuthServer;
let tokens: Tokens;
beforeAll(async () => {
  server = await startTestAuthServer({ LOG_LEVEL: 'error' });
  tokens = await obtainTokens(server.issuer);
  const client = {
    client_id: 'by-command',
    client_secret: 'x9-Lq27_vTfPw0aZ8rNdK3',
    redirect_uris: ['https://x.example/'],
  };
  await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(client));
});
afterAll(() => server.stop());

describe('The page for operators', () => {
  it('has a command for whatever may happen', () => {
    expect(commands.length).toBeGreaterThan(8);
  });

  it.each([...new Set(commands)])('names a command that there is: %s', async (command) => {
    const filled = command
      .replace(/--email E\b/, '--email ed@example.com') // the only administrator can't be disabled
      .replace(/--client-id C\b/, '--client-id by-command')
      .replace(/--grant=G\b/, `--grant=${tokens.grantId}`);
    const { status, err } = await runCommand(server, filled.split(' '));
    expect(status, err).toBe(0);
  });
});
