import { demoPassword } from '@trellis/demo-data';
import { createPool } from '@trellis/postgres';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMA } from '../app/start.ts';
import { choosePassword } from '../testing/choose-password.ts';
import { completePages, isHonoured, obtainTokens, refresh, submitSignIn } from '../testing/flow.ts';
import { runCommand } from '../testing/run-command.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer({
    SIGN_UP: 'true',
    MAIL_URL: 'log:',
    // Confirmations and sign-ins of one account within this file must not throttle one another.
    SIGN_IN_FAILURES_PER_ACCOUNT: '100',
    TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterAll(() => server.stop());

/** A form of a page with several. */
function formTo(html: string, path: string, field = ''): Record<string, string> {
  const form = html
    .split('<form ')
    .find((candidate) => candidate.includes(`action="${path}"`) && candidate.includes(field));
  return readForm(`<form ${form ?? ''}`, server.issuer).fields;
}

async function openAccount(
  browser: Browser,
  email = 'ada@example.com',
  password = demoPassword,
): Promise<string> {
  const first = await browser.get(`${server.issuer}/account`);
  const page = await completePages(browser, first, server.issuer, email, password);
  expect(page.status).toBe(200);
  return page.text();
}

describe('the account page', () => {
  it('A-074 A-075 A-077 asks to sign in, and comes with the headers of every page', async () => {
    const browser = new Browser();
    expect(await openAccount(browser)).toContain('Ada Marlow');
    const { headers } = await browser.get(`${server.issuer}/account`);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('shows where a user is signed in, and signs out there, with the grants of that session', async () => {
    const [mine, other] = [new Browser(), new Browser()];
    const tokens = await obtainTokens(server.issuer, {}, other, 'ed@example.com');
    const html = await openAccount(mine, 'ed@example.com');
    const form = formTo(html, 'account/sessions', 'name="session"');
    const response = await mine.post(`${server.issuer}/account/sessions`, form);
    expect(response.status).toBe(303);
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    expect((await other.get(`${server.issuer}/account`)).status).toBe(303);
    expect((await mine.get(`${server.issuer}/account`)).status).toBe(200);
  });

  it('signs out everywhere else', async () => {
    const [mine, ...others] = [new Browser(), new Browser(), new Browser()];
    for (const browser of others) await openAccount(browser, 'vi@example.com');
    const html = await openAccount(mine, 'vi@example.com');
    await mine.post(`${server.issuer}/account/sessions`, formTo(html, 'account/sessions', 'name="others"'));
    for (const browser of others) expect((await browser.get(`${server.issuer}/account`)).status).toBe(303);
    expect((await mine.get(`${server.issuer}/account`)).status).toBe(200);
  });

  it('A-090 A-139 withdraws a consent: its grants end, offline ones too, and consent is asked for again', async () => {
    const browser = new Browser();
    const tokens = await obtainTokens(server.issuer, { scope: 'openid offline_access' }, browser);
    const html = await openAccount(browser);
    expect(html).toContain('The &lt;b&gt;Web&lt;/b&gt; App');
    await browser.post(
      `${server.issuer}/account/applications`,
      formTo(html, 'account/applications', 'value="spa"'),
    );
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    expect((await refresh(server.issuer, tokens.refreshToken)).body['error']).toBe('invalid_grant');
    expect(await openAccount(browser)).not.toContain('value="spa"');
  });

  it('A-139 changes the password, which ends every grant and every other session', async () => {
    const email = 'changing@example.com';
    const add = ['accounts', 'add', '--email', email, '--name', 'C', '--role', 'VIEWER', '--password-stdin'];
    await runCommand(server, add, 'the old password');
    const [mine, other] = [new Browser(), new Browser()];
    const tokens = await obtainTokens(server.issuer, {}, other, email, 'the old password');
    const form = formTo(await openAccount(mine, email, 'the old password'), 'account/password');
    const send = (password: string, fresh: string): Promise<Response> =>
      mine.post(`${server.issuer}/account/password`, { ...form, password, new_password: fresh });
    expect((await send('not the old one', 'the new password')).status).toBe(403);
    expect((await send('the old password', 'short')).status).toBe(400);
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(true);
    const changed = await mine.follow(await send('the old password', 'the new password'), server.issuer);
    expect(await changed.text()).toContain('Your password was changed');
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    expect((await other.get(`${server.issuer}/account`)).status).toBe(303);
    await obtainTokens(server.issuer, {}, new Browser(), email, 'the new password');
  });

  it('A-080 A-081 takes no form of another site, another browser or another session', async () => {
    const browser = new Browser();
    const form = formTo(await openAccount(browser), 'account/password');
    const url = `${server.issuer}/account/password`;
    const foreign = await browser.post(url, form, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect((await browser.post(url, { ...form, csrf: 'x' })).status).toBe(403);
    const other = new Browser();
    await openAccount(other, 'vi@example.com');
    expect((await other.post(url, form)).status).toBe(403);
    expect((await new Browser().post(url, form)).status).toBe(403);
  });
});

/** Asks for a message. @param from address of the computer, as a proxy sends it */
async function ask(page: string, form: Record<string, string>, from = '127.0.0.1'): Promise<Response> {
  const browser = new Browser();
  const headers = { 'x-forwarded-for': from };
  const shown = await browser.get(`${server.issuer}/${page}`, headers);
  const { action, fields } = readForm(await shown.text(), shown.url);
  return browser.post(action, { ...fields, ...form }, headers);
}

/** The messages to an address so far that have a link; notices of sign-ins come beside them. */
function messagesTo(email: string): readonly { subject: string; text: string }[] {
  return server.log
    .filter((line) => line.includes(`"to":"${email}"`) && line.includes('/link?token='))
    .map((line) => (JSON.parse(line) as { mail: { subject: string; text: string } }).mail);
}

async function linkFor(email: string): Promise<string> {
  await expect.poll(() => messagesTo(email).length).toBeGreaterThan(0);
  return /http\S+\/link\?token=\S+/.exec(messagesTo(email).at(-1)?.text ?? '')?.[0] ?? '';
}

describe('sign-up and forgotten passwords', () => {
  it('makes an account with the link that was sent to its address', async () => {
    const response = await ask('sign-up', { email: 'fresh@example.com', name: 'Fresh' });
    expect(response.status).toBe(200);
    await choosePassword(await linkFor('fresh@example.com'), 'a fresh password');
    await obtainTokens(server.issuer, {}, new Browser(), 'fresh@example.com', 'a fresh password');
  });

  it('A-086 answers the same whether or not the account exists, and notifies its owner alone', async () => {
    for (const page of ['sign-up', 'forgotten']) {
      const known = await ask(page, { email: 'ada@example.com', name: 'X' });
      const unknown = await ask(page, { email: `unknown-${page}@example.com`, name: 'X' });
      expect(known.status).toBe(unknown.status);
      const text = (await known.text()).replaceAll('ada@example.com', '');
      expect(text).toBe((await unknown.text()).replaceAll(`unknown-${page}@example.com`, ''));
    }
    await expect.poll(() => messagesTo('ada@example.com').length).toBe(2);
    expect(messagesTo('ada@example.com').every(({ subject }) => subject === 'Your password')).toBe(true);
    expect(messagesTo('unknown-forgotten@example.com')).toEqual([]);
  });

  it('A-013 sends at most three messages an hour to one address, and slows down who asks for many', async () => {
    for (let index = 0; index < 4; index += 1) await ask('forgotten', { email: 'ed@example.com' });
    await ask('forgotten', { email: 'vi@example.com' });
    await linkFor('vi@example.com');
    await expect.poll(() => messagesTo('ed@example.com').length).toBe(3);
    let last = await ask('forgotten', { email: 'a@example.com' });
    for (let index = 0; index < 20 && last.status === 200; index += 1)
      last = await ask('forgotten', { email: `a${index}@example.com` });
    expect(last.status).toBe(429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('L3: is withheld from no user because another has asked for that address', async () => {
    const email = 'vi@example.com';
    const before = messagesTo(email).length;
    for (let round = 0; round < 4; round += 1) await ask('forgotten', { email }, '203.0.113.1');
    expect((await ask('forgotten', { email }, '198.51.100.1')).status).toBe(200);
    await expect.poll(() => messagesTo(email).length - before).toBe(4);
  });

  it('L3: is asked for by a whole /64 as often as by one address', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 21; index += 1) {
      const email = `unknown-${index}@example.com`;
      statuses.push((await ask('forgotten', { email }, `2001:db8:1:1::${index}`)).status);
    }
    expect(statuses.slice(0, 20).every((status) => status === 200)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });

  it('offers neither where it is not configured', async () => {
    const closed = await startTestAuthServer();
    try {
      for (const page of ['sign-up', 'forgotten']) {
        expect((await fetch(`${closed.issuer}/${page}`)).status).toBe(404);
      }
    } finally {
      await closed.stop();
    }
  });
});

describe('one-time links', () => {
  it('work for one of several who use them at once', async () => {
    const { out } = await runCommand(server, ['accounts', 'reset', '--email', 'vi@example.com']);
    const submit = async (): Promise<number> => {
      const browser = new Browser();
      const page = await browser.get(out.trim());
      const { action, fields } = readForm(await page.text(), page.url);
      return (await browser.post(action, { ...fields, new_password: 'one of several' })).status;
    };
    const statuses = await Promise.all(Array.from({ length: 5 }, submit));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it.each(['password', '12345678', 'Password1', 'vi@example.com'])(
    'M9: set no password that everybody tries first: %s',
    async (new_password) => {
      const { out } = await runCommand(server, ['accounts', 'reset', '--email', 'vi@example.com']);
      const browser = new Browser();
      const page = await browser.get(out.trim());
      const { action, fields } = readForm(await page.text(), page.url);
      expect((await browser.post(action, { ...fields, new_password })).status).toBe(400);
    },
  );

  it('M9: set a password that signs in however its letters are composed', async () => {
    const { out } = await runCommand(server, ['accounts', 'reset', '--email', 'vi@example.com']);
    await choosePassword(out.trim(), 'une fenêtre étroite'.normalize('NFC'));
    const decomposed = 'une fenêtre étroite'.normalize('NFD');
    await obtainTokens(server.issuer, {}, new Browser(), 'vi@example.com', decomposed);
  });

  it.each(['', 'x', '__proto__'])('are rejected when they are %j', async (token) => {
    expect((await fetch(`${server.issuer}/link?token=${token}`)).status).toBe(403);
  });
});

/** An account of its own, signed in. */
async function newAccount(name: string): Promise<{ browser: Browser; email: string; password: string }> {
  const [email, password] = [`${name}@example.com`, `the password of ${name}`];
  const add = ['accounts', 'add', '--email', email, '--name', name, '--role', 'VIEWER', '--password-stdin'];
  await runCommand(server, add, password);
  const browser = new Browser();
  await openAccount(browser, email, password);
  return { browser, email, password };
}

async function send(
  browser: Browser,
  name: string,
  fields: Record<string, string>,
  headers: Record<string, string> = { 'x-forwarded-for': '192.0.2.50' },
): Promise<Response> {
  const page = await (await browser.get(`${server.issuer}/account`)).text();
  const form = formTo(page, `account/${name}`);
  return browser.post(`${server.issuer}/account/${name}`, { ...form, ...fields }, headers);
}

/** Opens the page of a link. @returns what sends its form */
async function openLink(link: string): Promise<() => Promise<Response>> {
  const reader = new Browser();
  const page = await reader.get(link);
  const { action, fields } = readForm(await page.text(), page.url);
  return () => reader.post(action, fields);
}

describe('A-258: the account page lists', () => {
  it('sessions with device, network address and last use', async () => {
    const { browser } = await newAccount('listed');
    const headers = {
      'x-forwarded-for': '203.0.113.77',
      'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140',
    };
    const html = await (await browser.get(`${server.issuer}/account`, headers)).text();
    expect(html).toContain('data-label="Network address">\n203.0.113.77');
    expect(html).toMatch(/data-label="Last seen">\s*<time datetime="\d{4}-/);
    expect(html).toContain('<strong>This browser</strong>');
  });

  it('applications with what they may do and their last use, and what happened', async () => {
    const { browser, email, password } = await newAccount('busy');
    await obtainTokens(server.issuer, { scope: 'openid email' }, browser, email, password);
    const other = new Browser();
    const signIn = await other.follow(await other.get(`${server.issuer}/account`), server.issuer);
    await submitSignIn(other, signIn, email, 'wrong');
    await expect.poll(async () => openAccount(browser)).toContain('Sign-in failed');
    const html = async (): Promise<string> => (await browser.get(`${server.issuer}/account`)).text();
    await expect.poll(html).toContain('Access given: The &lt;b&gt;Web&lt;/b&gt; App');
    expect(await html()).toMatch(/see your e-mail address[\s\S]*data-label="Last use">\s*<time/);
    expect(await html()).toContain('Signed in');
  });
});

describe('A-259: a user changes', () => {
  it('the name', async () => {
    const { browser } = await newAccount('renamed');
    expect((await send(browser, 'name', { name: ' ' })).status).toBe(400);
    const response = await browser.follow(await send(browser, 'name', { name: 'Fresh Name' }), server.issuer);
    expect(await response.text()).toMatch(/Your name was changed\.[\s\S]*Fresh Name/);
  });

  it('the e-mail address, once its reader has confirmed it and not before; the address before learns of it', async () => {
    const { browser, email, password } = await newAccount('moving');
    const fresh = 'moved@example.com';
    expect((await send(browser, 'email', { email: fresh, password: 'wrong' })).status).toBe(403);
    expect((await send(browser, 'email', { email: 'no address', password })).status).toBe(400);
    expect((await send(browser, 'email', { email: fresh, password })).status).toBe(303);
    const link = await linkFor(fresh);
    const reader = new Browser();
    const page = await reader.get(link);
    const { action, fields } = readForm(await page.text(), page.url);
    await openAccount(new Browser(), email, password);
    expect((await reader.post(action, fields)).status).toBe(200);
    expect((await reader.post(action, fields)).status).toBe(403);
    expect(await openAccount(new Browser(), fresh, password)).toContain(fresh);
    await expect
      .poll(() =>
        server.log.some((line) => line.includes(`"to":"${email}"`) && line.includes('no longer the address')),
      )
      .toBe(true);
  });

  it('the address by no link of before a password that is set at the same moment', async () => {
    const { browser, email, password } = await newAccount('racing');
    await send(browser, 'email', { email: 'raced@example.com', password });
    const confirm = await openLink(await linkFor('raced@example.com'));
    const pool = createPool({ connectionString: server.environment['DATABASE_URL'] ?? '', schema: SCHEMA });
    const owner = await pool.connect();
    try {
      await owner.query('BEGIN');
      await owner.query('UPDATE account SET credentials_changed_at = now() WHERE email = $1', [email]);
      const response = confirm();
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
      await owner.query('COMMIT');
      expect((await response).status).toBe(403);
      expect((await pool.query('SELECT FROM account WHERE email = $1', [email])).rowCount).toBe(1);
    } finally {
      owner.release();
      await pool.end();
    }
  });

  it('the address by a link that was of no use in between', async () => {
    const { browser, email, password } = await newAccount('patient');
    const fresh = 'contended@example.com';
    await send(browser, 'email', { email: fresh, password });
    const confirm = await openLink(await linkFor(fresh));
    const add = ['accounts', 'add', '--email', fresh, '--name', 'Other', '--role', 'VIEWER'];
    await runCommand(server, [...add, '--password-stdin'], password);
    expect((await confirm()).status).toBe(403);
    const other = ['accounts', 'update', '--email', fresh, '--new-email', 'elsewhere@example.com'];
    expect((await runCommand(server, other)).status).toBe(0);
    expect((await confirm()).status).toBe(200);
    expect(await openAccount(new Browser(), fresh, password)).not.toContain(email);
  });

  it('the address by no link of before another password, and to none that another account has', async () => {
    const { browser, email, password } = await newAccount('careful');
    await send(browser, 'email', { email: 'late@example.com', password });
    const link = await linkFor('late@example.com');
    await send(browser, 'password', { password, new_password: 'another password entirely' });
    expect((await new Browser().get(link)).status).toBe(403);
    const taken = await send(browser, 'email', {
      email: 'ada@example.com',
      password: 'another password entirely',
    });
    expect(taken.headers.get('location')).toContain('?done=email');
    await openAccount(new Browser(), email, 'another password entirely');
    expect(messagesTo('ada@example.com').some(({ subject }) => subject.startsWith('Confirm'))).toBe(false);
  });
});

describe('A-260: a user who gives the password once more', () => {
  it('takes along all that is stored, but no secret', async () => {
    const { browser, email, password } = await newAccount('exporting');
    await obtainTokens(server.issuer, { scope: 'openid' }, browser, email, password);
    expect((await send(browser, 'export', { password: 'wrong' })).status).toBe(403);
    const response = await send(browser, 'export', { password });
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="account.json"');
    const exported = (await response.json()) as Record<string, unknown>;
    expect(exported).toMatchObject({
      account: { email, name: 'exporting', role: 'VIEWER', email_verified: true },
      applications: [{ client_id: 'spa', scope: 'openid' }],
    });
    expect(exported['sessions']).toHaveLength(1);
    expect(JSON.stringify(exported)).not.toMatch(/argon2|secret|hash/i);
  });

  it('deletes the account, which then is like one that never was', async () => {
    const { browser, email, password } = await newAccount('leaving');
    const tokens = await obtainTokens(server.issuer, {}, browser, email, password);
    expect((await send(browser, 'delete', { password: 'wrong' })).status).toBe(403);
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(true);
    const response = await send(browser, 'delete', { password });
    expect(await response.text()).toContain('Your account was deleted.');
    expect(await isHonoured(server.issuer, tokens.accessToken)).toBe(false);
    expect((await browser.get(`${server.issuer}/account`)).status).toBe(303);
    const signIn = await new Browser().get(`${server.issuer}/account`);
    expect(signIn.status).toBe(303);
    const audited = async (): Promise<string> =>
      (await runCommand(server, ['audit', 'list', '--event', 'account_deleted'])).out;
    await expect.poll(audited).toContain('account_deleted'); // events are written a moment later
    const again = await runCommand(
      server,
      ['accounts', 'add', '--email', email, '--name', 'A', '--role', 'VIEWER', '--password-stdin'],
      password,
    );
    expect(again.status).toBe(0);
  });

  it('does not delete the last administrator', async () => {
    const browser = new Browser();
    await openAccount(browser);
    const response = await send(browser, 'delete', { password: demoPassword });
    expect(response.status).toBe(409);
    expect(await response.text()).toContain('This is the last administrator.');
  });
});
