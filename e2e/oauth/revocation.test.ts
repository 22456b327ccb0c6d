import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import { askGraph } from '../harness/ask-graph.ts';
import { eventually } from '../harness/deadline.ts';
import type { DemoUser } from '../harness/demo-people.ts';
import { startProgram } from '../harness/running-program.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { discover, signIn } from '../harness/sign-in.ts';
import { claimsOf, userInfo } from '../harness/token-endpoint.ts';

const { addresses, environment } = sharedPlatform();

describe('A grant that has ended', () => {
  it('takes its access tokens along at the gateway, within a second (A-127)', async () => {
    const config = await discover(addresses.issuer);
    const first = await signIn(addresses.issuer);
    const second = await client.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(await codeAtGateway(second.access_token)).toBeUndefined();
    await expect(client.refreshTokenGrant(config, first.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    for (const { access_token: token } of [first, second]) await isRejectedWithinASecond(token);
  });

  it('leaves other grants of the same user alone (A-129)', async () => {
    const [ended, other] = [await signIn(addresses.issuer), await signIn(addresses.issuer)];
    await administer(['grants', 'revoke', `--grant=${String(claimsOf(ended.access_token)['gid'])}`]);
    await isRejectedWithinASecond(ended.access_token);
    expect(await codeAtGateway(other.access_token)).toBeUndefined();
  });
});

describe('npm run auth-server -- accounts', () => {
  const user: DemoUser = { email: 'nora@example.com', role: 'VIEWER' };
  const password = 'a password of at least some length';

  it('adds a user who can sign in, and ends all of it when they are disabled (A-139)', async () => {
    const added = ['accounts', 'add', '--email', user.email, '--name', 'Nora', '--role', user.role];
    await administer([...added, '--password-stdin'], `${password}\n`);
    const config = await discover(addresses.issuer);
    const tokens = await signIn(addresses.issuer, { user, password });
    expect(claimsOf(tokens.access_token)['roles']).toEqual(['VIEWER']);
    expect(await codeAtGateway(tokens.access_token)).toBeUndefined();

    await administer(['accounts', 'disable', '--email', user.email]);
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect((await userInfo(tokens)).status).toBe(401);
    await isRejectedWithinASecond(tokens.access_token);
    await expect(signIn(addresses.issuer, { user, password })).rejects.toThrow();
  });
});

/** A rejected request takes 4 to 6 ms where two cores do nothing else. From here on the machine counts as slow. */
const CONTROL_MS = 20;

/** On a machine that is slower by a factor, judged by the same request with a token that never held, a second is so much longer. */
async function isRejectedWithinASecond(token: string): Promise<void> {
  const beganMs = performance.now();
  expect(await codeAtGateway('none')).toBe('UNAUTHENTICATED');
  const slowness = Math.max(1, (performance.now() - beganMs) / CONTROL_MS);
  await eventually(
    () => codeAtGateway(token),
    (code) => code === 'UNAUTHENTICATED',
    1_000 * slowness,
  );
}

async function codeAtGateway(token: string): Promise<string | undefined> {
  const { errors } = await askGraph(addresses.graph, { query: '{ me { name } }', token });
  return errors?.[0]?.extensions.code;
}

/** Runs a command of the auth-server beside the running platform, whose stores it finds by the data directory. */
async function administer(args: readonly string[], input = ''): Promise<void> {
  const program = startProgram('auth-server', { args, environment, input });
  const { code } = await program.ended(100_000);
  expect([code, code === 0 ? '' : program.output.all]).toEqual([0, '']);
}
