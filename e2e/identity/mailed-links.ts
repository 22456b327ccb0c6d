import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import { sendAccountForm, type TestAuthServer } from '@trellis/auth-server/testing';
import { until } from '@trellis/testkit';

/** The link that gives the account of a browser another address. The server needs `MAIL_URL=log:` and to trust this proxy. */
export async function askForEmailLink(
  server: TestAuthServer,
  browser: Browser,
  email: string,
  password: string,
): Promise<string> {
  const place = { browser, url: server.issuer };
  await sendAccountForm(place, 'email', { email, password }, { headers: networkOf(email) });
  return mailedLink(server, email);
}

/** The link by which someone signs up with an address. The server needs `SIGN_UP=true` besides. */
export async function askForSignUpLink(server: TestAuthServer, email: string): Promise<string> {
  const browser = new Browser();
  const page = await browser.get(`${server.issuer}/sign-up`);
  const { action, fields } = readForm(await page.text(), page.url);
  const form = { ...fields, email, name: 'Newcomer' };
  expect((await browser.post(action, form, networkOf(email))).status).toBe(200);
  return mailedLink(server, email);
}

/** A network for each address: messages that one network asks for are limited. */
function networkOf(email: string): Record<string, string> {
  const [first, second] = createHash('sha256').update(email).digest();
  return { 'x-forwarded-for': `10.${first}.${second}.1` };
}

async function mailedLink({ log }: TestAuthServer, email: string): Promise<string> {
  const link = (): string | undefined =>
    log
      .filter((line) => line.includes(`"to":"${email}"`))
      .map((line) => /http[^\s"\\]+\/link\?token=[\w-]+/.exec(line)?.[0])
      .findLast((found) => found !== undefined);
  await until(async () => link() !== undefined, 'the message has come');
  return link() ?? '';
}
