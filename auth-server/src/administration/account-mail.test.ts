import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import { choosePassword } from '../testing/choose-password.ts';
import { obtainTokens } from '../testing/flow.ts';
import { runCommand } from '../testing/run-command.ts';
import { startSmtpServer, textOf, type TestSmtpServer } from '../testing/smtp-server.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

const PASSWORD = 'seven green boats at sea';

let smtp: TestSmtpServer;
let server: TestAuthServer;
beforeAll(async () => {
  smtp = await startSmtpServer();
  server = await startTestAuthServer({
    SIGN_UP: 'true',
    MAIL_URL: smtp.url,
    MAIL_FROM: 'Example <no-reply@auth.example>',
  });
});
afterAll(async () => {
  await server.stop();
  await smtp.close();
});

/** What has arrived for an address, by subject. */
function subjects(email: string): readonly string[] {
  return smtp.received
    .filter(({ to }) => to.includes(email))
    .map(({ source }) => /^Subject: (.*)\r$/m.exec(source)?.[1] ?? '');
}

async function linkFor(email: string, subject: string): Promise<string> {
  await expect.poll(() => subjects(email)).toContain(subject);
  const mail = smtp.received.findLast(
    ({ to, source }) => to.includes(email) && source.includes(`Subject: ${subject}`),
  );
  return (mail && /http\S+\/link\?token=\S+/.exec(textOf(mail))?.[0]) ?? '';
}

async function ask(page: 'sign-up' | 'forgotten', form: Record<string, string>): Promise<void> {
  const browser = new Browser();
  const shown = await browser.get(`${server.issuer}/${page}`);
  const { action, fields } = readForm(await shown.text(), shown.url);
  expect((await browser.post(action, { ...fields, ...form })).status).toBe(200);
}

describe('an account with a real mail server', () => {
  const email = 'grace@example.com';

  it('is made by a link that arrives there, and signs in', async () => {
    await ask('sign-up', { email, name: 'Grace Hall' });
    await choosePassword(await linkFor(email, 'Your new account'), PASSWORD);
    await obtainTokens(server.issuer, {}, new Browser(), email, PASSWORD);
  });

  it('notifies its owner of a browser that is new, and of one that is known no more', async () => {
    await expect.poll(() => subjects(email)).toContain('A new sign-in to your account');
    const browser = new Browser();
    await obtainTokens(server.issuer, {}, browser, email, PASSWORD);
    await obtainTokens(server.issuer, { prompt: 'login' }, browser, email, PASSWORD);
    const count = (): number =>
      subjects(email).filter((subject) => subject.startsWith('A new sign-in')).length;
    await expect.poll(count).toBe(2);
  });

  it('gets another password by a link, and its owner is notified', async () => {
    await ask('forgotten', { email });
    await choosePassword(await linkFor(email, 'Your password'), 'eight blue kites in the wind');
    await expect.poll(() => subjects(email)).toContain('Your password was changed');
  });

  it('notifies the previous address of the change', async () => {
    const args = ['accounts', 'update', '--email', email, '--new-email', 'grace.hall@example.com'];
    const { status, err } = await runCommand(server, args);
    expect(status, err).toBe(0);
    await expect.poll(() => subjects(email)).toContain('This is no longer the address of your account');
  });
});
