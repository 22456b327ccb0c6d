import { createHash } from 'node:crypto';
import { createPool, queryChecked, type Pool } from '@trellis/postgres';
import { createLogger } from '@trellis/runtime';
import { Browser } from '@trellis/testkit/sign-in';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuditWriter } from './audit-writer.ts';
import { createAuditStore, type AuditStore, type StoredAuditEvent } from './audit-store.ts';
import {
  authorizationUrl,
  basic,
  createPkce,
  exchange,
  obtainCode,
  obtainTokens,
  postForm,
  refresh,
  submitSignIn,
  tokensOf,
} from '../testing/flow.ts';
import { runCommand } from '../testing/run-command.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { CLIENT_SECRET } from '../testing/test-clients.ts';
import { demoPassword } from '@trellis/demo-data';

let server: TestAuthServer;
let pool: Pool;
beforeAll(async () => {
  server = await startTestAuthServer({ LOG_LEVEL: 'trace' });
  pool = createPool({ connectionString: server.environment['DATABASE_URL'] ?? '', schema: 'auth' });
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

/** What `audit list` prints, once it has all of these. */
async function listed(
  args: readonly string[],
  events: readonly string[],
): Promise<Record<string, unknown>[]> {
  let records: Record<string, unknown>[] = [];
  await expect
    .poll(async () => {
      const { out } = await runCommand(server, ['audit', 'list', ...args]);
      const lines = out.split('\n').filter((line) => line !== '');
      records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      return records.map(({ event }) => event);
    })
    .toEqual(expect.arrayContaining([...events]));
  return records;
}

describe('the audit log', () => {
  it('A-140 keeps sign-ins, failures, grants, reuse and revocation, which the command line finds again', async () => {
    const browser = new Browser();
    const page = await browser.follow(
      await browser.get(authorizationUrl(server.issuer, createPkce())),
      server.issuer,
    );
    await submitSignIn(browser, page, 'ed@example.com', 'wrong');
    const tokens = await obtainTokens(server.issuer, {}, new Browser(), 'ed@example.com');
    await refresh(server.issuer, tokens.refreshToken);
    await refresh(server.issuer, tokens.refreshToken);
    const ofUser = await listed(
      ['--email', 'ed@example.com'],
      ['sign_in_failed', 'signed_in', 'grant_begun'],
    );
    expect(ofUser.find(({ event }) => event === 'sign_in_failed')).toMatchObject({ reason: 'credentials' });
    const ofGrant = await listed([`--grant=${tokens.grantId}`], ['refresh_token_reused', 'grant_revoked']);
    expect(ofGrant.every(({ grantId }) => grantId === tokens.grantId)).toBe(true);
    expect(ofGrant.find(({ event }) => event === 'grant_revoked')).toMatchObject({
      reason: 'refresh_token_reused',
    });
    const newest = await runCommand(server, ['audit', 'list', '--limit', '1', '--event', 'grant_begun']);
    expect(newest.out.trim().split('\n')).toHaveLength(1);
    const late = await runCommand(server, ['audit', 'list', '--since', '2100-01-01T00:00:00Z']);
    expect(late).toMatchObject({ status: 0, out: '' });
    for (const bad of [
      ['--since', 'soon'],
      ['--limit', '0'],
    ]) {
      expect((await runCommand(server, ['audit', 'list', ...bad])).status).toBe(64);
    }
  });

  it('keeps failed authentication of clients and changes by command, and counts every event', async () => {
    await postForm(`${server.issuer}/token`, { grant_type: 'client_credentials' }, basic('machine', 'wrong'));
    const metadata = { client_id: 'audited', redirect_uris: ['https://x.example/cb'] };
    await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(metadata));
    await runCommand(server, ['clients', 'remove', '--client-id', 'audited']);
    await listed(['--client-id', 'machine'], ['client_authentication_failed']);
    const changes = await listed(
      ['--client-id', 'audited'],
      ['client_changed', 'access_tokens_revoked', 'client_removed'],
    );
    expect(changes.map(({ by, reason }) => by ?? reason)).toEqual(
      expect.arrayContaining(['command', 'client_removed', 'command']),
    );
    const text = await server.metrics.metrics();
    expect(text).toMatch(/trellis_auth_audit_events_total\{event="client_authentication_failed".*\} 1/);
  });

  it('logs what may be an attack as a warning, and what happens every day as information', async () => {
    const browser = new Browser();
    const page = await browser.follow(
      await browser.get(authorizationUrl(server.issuer, createPkce())),
      server.issuer,
    );
    await submitSignIn(browser, page, 'vi@example.com', 'wrong');
    const tokens = await obtainTokens(server.issuer, {}, new Browser(), 'vi@example.com');
    await refresh(server.issuer, tokens.refreshToken);
    await refresh(server.issuer, tokens.refreshToken);
    await postForm(`${server.issuer}/token`, { grant_type: 'client_credentials' }, basic('machine', 'wrong'));
    const records = server.log
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((record) => record['audit'] === true);
    const levels = new Map(records.map(({ event, level }) => [event, level]));
    const [info, warn] = [30, 40];
    const addresses = new Map(records.map(({ event, address }) => [event, address]));
    // L9: what a user allows, and what is got for it, names where it came from.
    for (const event of ['signed_in', 'consent_given', 'grant_begun', 'refresh_token_reused'])
      expect(addresses.get(event), event).toMatch(/^(::ffff:)?127\.0\.0\.1$|^::1$/);
    for (const event of ['signed_in', 'consent_given', 'grant_begun', 'grant_revoked'])
      expect(levels.get(event), event).toBe(info);
    for (const event of ['sign_in_failed', 'refresh_token_reused', 'client_authentication_failed'])
      expect(levels.get(event), event).toBe(warn);
  });

  it('S-100 has no token, code, password or secret, nor has any other record of the log', async () => {
    const pkce = createPkce();
    const browser = new Browser();
    const code = await obtainCode(server.issuer, pkce, {}, browser);
    const tokens = tokensOf(await exchange(server.issuer, code, pkce));
    const next = tokensOf(await refresh(server.issuer, tokens.refreshToken));
    await refresh(server.issuer, tokens.refreshToken);
    await exchange(server.issuer, code, pkce);
    await postForm(`${server.issuer}/introspect`, { token: next.accessToken }, basic('basic'));
    await postForm(`${server.issuer}/revoke`, { token: next.refreshToken, client_id: 'spa' });
    await postForm(`${server.issuer}/token?code=${code}`, {
      client_id: 'post',
      client_secret: CLIENT_SECRET,
    });
    await fetch(`${server.issuer}/logout?id_token_hint=${tokens.idToken}`);
    await fetch(`${server.issuer}/userinfo?access_token=${tokens.accessToken}`);
    await listed([], ['code_replayed']);
    const rows = await queryChecked(
      pool,
      { text: 'text' },
      'SELECT audit_event::text AS text FROM auth.audit_event',
    );
    const written = [...server.log, ...rows.map(({ text }) => text)].join('\n');
    expect(written).toContain(tokens.grantId);
    const secrets = [
      ...[tokens, next].flatMap(({ accessToken, refreshToken, idToken }) => [
        accessToken,
        refreshToken,
        idToken,
      ]),
      ...browser.cookies.cookies.map(({ value }) => value),
      code,
      pkce.verifier,
      demoPassword,
      CLIENT_SECRET,
      encodeURIComponent(CLIENT_SECRET),
    ];
    for (const secret of secrets) expect(written.includes(secret), secret.slice(0, 12)).toBe(false);
  });
});

describe('L9: what anonymous callers have sent', () => {
  it('is not stored as an unknown client id, nor reveals an e-mail address to those who try some', async () => {
    const secret = 'a-secret-in-the-wrong-field';
    await postForm(`${server.issuer}/token`, { grant_type: 'client_credentials' }, basic(secret, 'machine'));
    const [failed] = await listed(['--limit', '1'], ['client_authentication_failed']);
    expect(failed).toMatchObject({ address: '127.0.0.1' });
    const rows = await queryChecked(
      pool,
      { text: 'text' },
      'SELECT audit_event::text AS text FROM auth.audit_event',
    );
    const written = [...server.log, ...rows.map(({ text }) => text)].join('\n');
    expect(written).not.toContain(secret);
    for (const email of ['vi@example.com', 'ed@example.com']) {
      expect(written).not.toContain(createHash('sha256').update(email).digest('base64url'));
    }
  });
});

it('L9: one who fails again and again is a few rows', async () => {
  const since = new Date().toISOString();
  const form = { grant_type: 'client_credentials' };
  const fail = (): Promise<unknown> => postForm(`${server.issuer}/token`, form, basic('basic', 'wrong'));
  await Promise.all(Array.from({ length: 60 }, fail));
  await obtainTokens(server.issuer); // events are stored in their order
  const records = await listed(['--since', since, '--limit', '100'], ['signed_in']);
  const failures = records.filter(({ event }) => event === 'client_authentication_failed');
  expect(failures.length).toBeLessThanOrEqual(12);
});

describe('what a client has sent', () => {
  it('S-100 is stored whatever characters it has, and keeps no other event from being stored', async () => {
    const store = createAuditStore(pool);
    const occurredAt = Date.UTC(2100, 0, 1, 0, 0, 0, 123);
    const texts = ['\0', '\ud83d', 'a\udc00b', '\\u0000', '\\\\\0', '\u{1f600}', '"\r\n\'{}'];
    await store.append(
      texts.map((text) => ({
        occurredAt,
        event: 'strange',
        clientId: text,
        details: { text, list: [text] },
      })),
    );
    const stored = (await store.list({ event: 'strange', limit: 10 })).toReversed();
    const expected = ['\ufffd', '\ufffd', 'a\ufffdb', '\\u0000', '\\\\\ufffd', '\u{1f600}', '"\r\n\'{}'];
    expect(stored.map(({ clientId }) => clientId)).toEqual(expected);
    expect(stored.map(({ details }) => details)).toEqual(expected.map((text) => ({ text, list: [text] })));
    expect(stored[0]).toMatchObject({ occurredAt, subject: undefined, grantId: undefined });
  });

  it('S-100 is no failure inside where it names a client with a character that no store has', async () => {
    const response = await postForm(
      `${server.issuer}/token`,
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${Buffer.from('a%00b:x').toString('base64')}` },
    );
    expect(response.status).toBe(401);
    expect(response.body['error']).toBe('invalid_client');
  });
});

describe('audit events while the database is unavailable', () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const event = (name: string): StoredAuditEvent => ({ occurredAt: 0, event: name, details: {} });

  /** A store that fails this often. */
  function failingStore(failures: number): AuditStore & { readonly stored: StoredAuditEvent[] } {
    const stored: StoredAuditEvent[] = [];
    let left = failures;
    return {
      stored,
      append: async (events) => {
        left -= 1;
        if (left >= 0) throw new Error('unavailable');
        stored.push(...events);
      },
      list: async () => [],
      listOfSubject: async () => [],
      removeBefore: async () => 0,
    };
  }

  it('wait, and are stored in their order', async () => {
    const store = failingStore(1);
    const writer = createAuditWriter({ store, logger, onDropped: () => undefined });
    writer.write(event('first'));
    await writer.flush();
    expect(store.stored).toEqual([]);
    writer.write(event('second'));
    await writer.close();
    expect(store.stored.map(({ event: name }) => name)).toEqual(['first', 'second']);
  });

  it('are dropped, oldest first, and counted, when there are too many', async () => {
    const store = failingStore(0);
    const dropped: number[] = [];
    const writer = createAuditWriter({ store, logger, onDropped: (count) => void dropped.push(count) });
    for (let index = 0; index < 10_003; index += 1) writer.write(event(String(index)));
    await writer.close();
    expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(store.stored[0]?.event).toBe('3');
    expect(store.stored).toHaveLength(10_000);
  });
});
