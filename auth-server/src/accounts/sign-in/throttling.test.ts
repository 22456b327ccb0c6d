import { demoPassword } from '@trellis/demo-data';
import { latencyBudgetMs } from '@trellis/testkit';
import { Browser, readForm } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outageOf } from '../../http/outage.ts';
import { authorizationUrl, createPkce, submitSignIn } from '../../testing/flow.ts';
import { runCommand } from '../../testing/run-command.ts';
import { signInTogether } from '../../testing/sign-in-from.ts';
import { startTestAuthServer, type TestAuthServer } from '../../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer({
    SIGN_IN_FAILURES_PER_ACCOUNT: '5',
    SIGN_IN_FAILURES_PER_ADDRESS: '60',
    SIGN_IN_WINDOW_S: '900',
    TRUSTED_PROXIES: '127.0.0.1',
    PASSWORD_HASH_CONCURRENCY: '1',
  });
});
afterAll(() => server.stop());

async function attempt(email: string, password?: string, browser = new Browser()): Promise<Response> {
  const url = authorizationUrl(server.issuer, createPkce(), { prompt: 'login' });
  const page = await browser.follow(await browser.get(url), server.issuer);
  return submitSignIn(browser, page, email, password);
}

/** More than wait for hashing at a time. */
const addresses = (addressOf: (index: number) => string): readonly string[] =>
  Array.from({ length: 200 }, (_, index) => addressOf(index));

describe('throttling', () => {
  it.each(['ada@example.com', 'unknown@example.com'])(
    'A-013 A-088 responds with 429 with Retry-After after 5 failures of %s, before hashing, even for the right password',
    async (email) => {
      const responses = await Promise.all(Array.from({ length: 9 }, () => attempt(email, 'wrong')));
      expect(responses.filter(({ status }) => status === 403)).toHaveLength(5);
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(4);
      const start = performance.now();
      const late = await attempt(email.toUpperCase());
      expect(late.status).toBe(429);
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(800);
      expect(performance.now() - start).toBeLessThan(latencyBudgetMs(1_000));
      expect(await late.text()).toContain('role="alert"');
    },
  );

  it('A-088 counts failures only', async () => {
    for (let round = 0; round < 8; round += 1) expect((await attempt('ed@example.com')).status).toBe(303);
  });

  it('A-088 does not let unknown browsers lock out a browser in which the user has signed in before', async () => {
    const known = new Browser();
    expect((await attempt('vi@example.com', undefined, known)).status).toBe(303);
    for (let round = 0; round < 6; round += 1) await attempt('vi@example.com', 'wrong');
    expect((await attempt('vi@example.com')).status).toBe(429);
    expect((await attempt('vi@example.com', undefined, known)).status).toBe(303);
    for (let round = 0; round < 5; round += 1) await attempt('vi@example.com', 'wrong', known);
    expect((await attempt('vi@example.com', undefined, known)).status).toBe(429);
  });

  it('M6: counts every spelling of an address together, and signs no user in by a letter that only looks alike', async () => {
    for (let round = 0; round < 5; round += 1) await attempt('cy@example.com', 'wrong');
    expect((await attempt('Cy@Example.com')).status).toBe(429);
    expect((await attempt('ｃy@example.com')).status).toBe(429);
    expect((await attempt('v\u0130@example.com')).status).toBe(403);
  });

  it('M7: 130 sign-ins from as many addresses stop no sign-in with a browser that the account knows', async () => {
    const known = new Browser();
    expect((await attempt('ed@example.com', undefined, known)).status).toBe(303);
    const attempts = await signInTogether(
      server,
      Array.from({ length: 130 }, (_, index) => `203.0.${index}.1`),
    );
    const people = Array.from({ length: 5 }, () => attempt('ed@example.com', undefined, known));
    const statuses = (await Promise.all(people)).map(({ status }) => status);
    expect(statuses).toEqual([303, 303, 303, 303, 303]);
    await Promise.all(attempts);
  });

  it('M7: a link that is used while the queue of hashing is full is not burnt', async () => {
    const { out } = await runCommand(server, ['accounts', 'reset', '--email', 'ed@example.com']);
    const link = out.trim();
    const visitor = new Browser();
    const page = await visitor.get(link);
    const { action, fields } = readForm(await page.text(), page.url);
    const flood = await signInTogether(
      server,
      addresses((index) => `192.0.${index}.1`),
    );
    await Promise.any(flood.map(async (sent) => expect(await sent).toBe(503)));
    const { status } = await visitor.post(action, { ...fields, new_password: demoPassword });
    // Either it got its turn, or it is as good as before.
    expect([200, 503]).toContain(status);
    expect((await new Browser().get(link)).status).toBe(status === 200 ? 403 : 200);
    await Promise.all(flood);
  });

  it('L9: a full queue of hashing is no error in the log', async () => {
    const flood = await signInTogether(
      server,
      addresses((index) => `198.51.${index}.1`),
    );
    expect(await Promise.all(flood)).toContain(503);
    const records = server.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.some(({ error }) => error === 'temporarily_unavailable')).toBe(true);
    const errors = records.filter(({ level }) => Number(level) >= 50).map(({ err }) => err as Error);
    // On a machine that is busy otherwise, stores may not answer in time: that is an outage, and an error.
    expect(errors.filter(({ message }) => !outageOf(new Error(message)))).toEqual([]);
  });

  it('M7: a browser that the account knows signs in whatever its address has failed, also in hashing', async () => {
    const known = new Browser();
    expect((await attempt('ed@example.com', undefined, known)).status).toBe(303);
    for (let round = 0; round < 70; round += 1) await attempt(`user-${round % 14}@example.com`, 'wrong');
    expect((await attempt('ed@example.com')).status).toBe(429);
    expect((await attempt('ed@example.com', undefined, known)).status).toBe(303);
  });

  it('A-088 limits the failures of an address over all accounts', async () => {
    let status = 0;
    for (let round = 0; round < 70 && status !== 429; round += 1) {
      ({ status } = await attempt(`user-${round}@example.com`, 'wrong'));
    }
    expect(status).toBe(429);
    expect((await attempt('ed@example.com')).status).toBe(429);
  });
});
