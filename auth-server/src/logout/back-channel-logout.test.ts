import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '@trellis/testkit/sign-in';
import { obtainTokens } from '../testing/flow.ts';
import { startLogoutReceiver, type LogoutReceiver } from '../testing/logout-receiver.ts';
import { runCommand } from '../testing/run-command.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';
import { CALLBACK } from '../testing/test-clients.ts';
import { createAddressGuard } from '../outbound/address-guard.ts';
import { postGuardedForm } from './post-guarded-form.ts';

let server: TestAuthServer;
let receiver: LogoutReceiver;
let slow: LogoutReceiver;
beforeAll(async () => {
  server = await startTestAuthServer();
  receiver = await startLogoutReceiver(() => 200);
  slow = await startLogoutReceiver((index) => (index === 0 ? 302 : 204));
  for (const [clientId, { url }] of [['notified', receiver] as const, ['notified-again', slow] as const]) {
    const metadata = {
      client_id: clientId,
      redirect_uris: [CALLBACK],
      backchannel_logout_uri: url,
      backchannel_logout_session_required: true,
      first_party: true,
    };
    await runCommand(server, ['clients', 'add', '--metadata-stdin'], JSON.stringify(metadata));
  }
});
afterAll(async () => {
  await Promise.all([receiver.close(), slow.close()]);
  await server.stop();
});

describe('A-164: OpenID Connect Back-Channel Logout', () => {
  it('A-164 notifies every client of a session that it has ended, by a token that is no id_token', async () => {
    const browser = new Browser();
    const tokens = await obtainTokens(server.issuer, { client_id: 'notified', nonce: 'n' }, browser);
    await obtainTokens(server.issuer, { client_id: 'spa' }, browser);
    const before = receiver.tokens.length;
    await browser.get(`${server.issuer}/logout?id_token_hint=${tokens.idToken}`);
    await expect.poll(() => receiver.tokens.length).toBe(before + 1);
    const token = receiver.tokens.at(-1) ?? '';
    const keys = createRemoteJWKSet(new URL(`${server.issuer}/jwks.json`));
    const { payload } = await jwtVerify(token, keys, { issuer: server.issuer, audience: 'notified' });
    expect(decodeProtectedHeader(token).typ).toBe('logout+jwt');
    const idToken = (await jwtVerify(tokens.idToken, keys)).payload;
    expect(payload).toMatchObject({
      sub: idToken.sub,
      sid: idToken['sid'],
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
    expect(payload).not.toHaveProperty('nonce');
  });

  it('A-164 tries again when it is not taken, with another token, and follows no redirect', async () => {
    const browser = new Browser();
    const tokens = await obtainTokens(server.issuer, { client_id: 'notified-again' }, browser);
    await browser.get(`${server.issuer}/logout?id_token_hint=${tokens.idToken}`);
    await expect.poll(() => slow.tokens.length).toBe(2);
    expect(slow.tokens[1]).not.toBe(slow.tokens[0]);
    await expect
      .poll(async () => server.metrics.metrics())
      .toMatch(/trellis_auth_backchannel_logouts_total\{outcome="delivered".*\} 2/);
  });

  it('A-164 is advertised, and notifies of sessions that an operator ends too', async () => {
    const response = await fetch(`${server.issuer}/.well-known/openid-configuration`);
    expect(await response.json()).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    await obtainTokens(server.issuer, { client_id: 'notified' }, new Browser(), 'vi@example.com');
    const before = receiver.tokens.length;
    await runCommand(server, ['accounts', 'disable', '--email', 'vi@example.com']);
    expect(receiver.tokens).toHaveLength(before + 1);
  });
});

describe('A-164: requests on behalf of clients', () => {
  const guard = createAddressGuard({ loopback: false, networks: [] });
  const { signal } = new AbortController();

  it.each(['http://127.0.0.1:1/', 'http://[::1]:1/', 'http://localhost:1/', 'http://169.254.169.254/latest'])(
    'A-164 are not made to %s in production',
    async (url) => {
      await expect(postGuardedForm(new URL(url), {}, guard, signal)).rejects.toThrow(
        'no requests may be sent',
      );
    },
  );

  it('A-164 are not made to a receiver whose name leads to this machine', async () => {
    const before = receiver.tokens.length;
    const url = new URL(receiver.url.replace('127.0.0.1', 'localhost'));
    await expect(postGuardedForm(url, { logout_token: 'x' }, guard, signal)).rejects.toThrow(
      'no requests may be sent',
    );
    expect(receiver.tokens).toHaveLength(before);
  });
});
