import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import { readAuthServerConfig } from './config.ts';
import { randomToken } from '../secrets/secrets.ts';
import {
  authorizationUrl,
  basic,
  createPkce,
  obtainTokens,
  postForm,
  refresh,
  tokensOf,
} from '../testing/flow.ts';
import { runCommand } from '../testing/run-command.ts';
import { startSecondInstance } from '../testing/second-instance.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

const [OLD, NEW] = [randomToken(), randomToken()];
const SECRET = 'the secret of a confidential client';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer({ KEY_ENCRYPTION_SECRET: OLD, COOKIE_SECRET: OLD });
  const client = { client_id: 'confidential', client_secret: SECRET, redirect_uris: ['https://x.example/'] };
  await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(client));
});
afterAll(() => server.stop());

async function introspectionStatus(url: string): Promise<number> {
  return (await postForm(`${url}/introspect`, { token: 'x' }, basic('confidential', SECRET))).status;
}

async function outdatedClients(secrets: string): Promise<readonly string[]> {
  const environment = { ...server.environment, KEY_ENCRYPTION_SECRET: secrets };
  const { out } = await runCommand({ ...server, environment }, ['clients', 'list']);
  const clients = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return clients
    .filter((client) => client['secret_outdated'] === true)
    .map((client) => String(client['client_id']));
}

async function keyIds(url: string): Promise<unknown> {
  const { keys } = (await (await fetch(`${url}/jwks.json`)).json()) as { keys: readonly { kid: string }[] };
  return keys.map(({ kid }) => kid).toSorted();
}

describe('The lists of secrets', () => {
  it('L8: KEY_ENCRYPTION_SECRET is replaced in three steps without ending a grant, a client or a key', async () => {
    const tokens = await obtainTokens(server.issuer, { scope: 'openid offline_access' });
    const kids = await keyIds(server.issuer);

    // 1. Every instance learns the new secret, and still works with the old one.
    const first = await startSecondInstance(server, { KEY_ENCRYPTION_SECRET: `${OLD} ${NEW}` });
    const ofFirst = tokensOf(await refresh(first.url, tokens.refreshToken));
    expect(await introspectionStatus(first.url)).toBe(200);
    await first.close();

    // 2. The new one signs, encrypts and hashes; what the old one has made is taken, and made again.
    const second = await startSecondInstance(server, { KEY_ENCRYPTION_SECRET: `${NEW} ${OLD}` });
    const ofSecond = tokensOf(await refresh(second.url, ofFirst.refreshToken));
    expect(await outdatedClients(`${NEW} ${OLD}`)).toContain('confidential');
    expect(await introspectionStatus(second.url)).toBe(200);
    expect(await outdatedClients(`${NEW} ${OLD}`)).toEqual([]);
    expect(await keyIds(second.url)).toEqual(kids);
    await second.close();

    // 3. Nothing needs the old one any more.
    const third = await startSecondInstance(server, { KEY_ENCRYPTION_SECRET: NEW });
    tokensOf(await refresh(third.url, ofSecond.refreshToken));
    expect(await introspectionStatus(third.url)).toBe(200);
    expect(await keyIds(third.url)).toEqual(kids);
    expect((await refresh(third.url, tokens.refreshToken)).body['error'], 'made by the old one').toBe(
      'invalid_grant',
    );
    await third.close();
  });

  it('L8: COOKIE_SECRET is replaced while pages are open', async () => {
    const beside = await startTestAuthServer({ COOKIE_SECRET: OLD });
    try {
      const browser = new Browser();
      const page = await browser.follow(
        await browser.get(authorizationUrl(beside.issuer, createPkce())),
        beside.issuer,
      );
      const { action, fields } = readForm(await page.text(), page.url);
      const send = async (cookieSecret: string): Promise<boolean> => {
        const other = await startSecondInstance(beside, { COOKIE_SECRET: cookieSecret });
        const headers = { origin: beside.issuer };
        const form = { ...fields, email: 'ada@example.com', password: 'wrong' };
        const response = await browser.post(action.replace(beside.issuer, other.url), form, headers);
        await other.close();
        return (await response.text()).includes('type="password"');
      };
      expect(await send(`${NEW} ${OLD}`), 'the form is good, the password is not').toBe(true);
      expect(await send(NEW), 'the form is invalid by now').toBe(false);
    } finally {
      await beside.stop();
    }
  });

  it('take a secret with blanks for one, where its parts are too short to be secrets', () => {
    const passphrase = 'giraffes in Lübeck juggle 37 mouldy waffles quickly';
    const read = (text: string): readonly string[] =>
      readAuthServerConfig({ ...server.environment, COOKIE_SECRET: text }).COOKIE_SECRET;
    expect(read(passphrase)).toEqual([passphrase]);
    expect(read(` ${NEW}  ${OLD} `)).toEqual([NEW, OLD]);
    expect(() => read('short')).toThrow('COOKIE_SECRET');
  });
});
