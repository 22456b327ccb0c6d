import { connectRedis } from '@trellis/redis';
import { demoAccounts } from '@trellis/demo-data';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sha256 } from '../secrets/secrets.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

it('H4: a session that an attacker has written into Redis signs no user in', async () => {
  const redis = connectRedis({ url: server.redis.url, name: 'attacker', onError: () => undefined });
  const forged = { sessionId: 'forged', subject: demoAccounts[0]?.id, authenticatedAt: Date.now() };
  const secret = 'x'.repeat(43);
  const record = JSON.stringify({ ...forged, secretHash: sha256(secret) });
  // As sessions are stored now, and as they were stored before records were sealed.
  for (const [key, cookie] of [
    ['forged', `forged.${secret}`],
    [sha256(secret), secret],
  ] as const) {
    await redis.set(`session:{${key}}`, record, 'EX', 600);
    const headers = { cookie: `trellis-session=${cookie}` };
    const response = await fetch(`${server.issuer}/account`, { headers, redirect: 'manual' });
    expect(await response.text()).not.toContain('ada@example.com');
    expect(response.headers.get('location')).toContain('/login');
  }
  redis.disconnect();
  expect(server.log.join('')).toContain('ignored an unsealed Redis record');
});
