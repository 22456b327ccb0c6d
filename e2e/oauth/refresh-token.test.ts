import * as client from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '@trellis/testkit/sign-in';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { discover, signIn, type Tokens } from '../harness/sign-in.ts';
import { claimsOf, postToken, rejectionOf, userInfo } from '../harness/token-endpoint.ts';

const { issuer } = sharedPlatform().addresses;

describe('Refresh tokens', () => {
  let config: client.Configuration;

  beforeAll(async () => {
    config = await discover(issuer);
  });

  it('rotate at every use (A-125, A-138)', async () => {
    const first = await signIn(issuer);
    const second = await refresh(first);
    const third = await refresh(second);
    expect(new Set([first, second, third].map((tokens) => tokens.refresh_token)).size).toBe(3);
    expect(third.claims()?.sub).toBe(first.claims()?.sub);
    expect((await userInfo(third)).status).toBe(200);
  });

  it('revoke their grant when an old one is used again: the newest and every access token end with it (A-126, A-127, A-128)', async () => {
    const first = await signIn(issuer);
    const second = await refresh(first);
    const third = await refresh(second);
    await expect(refresh(first)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(refresh(third)).rejects.toMatchObject({ error: 'invalid_grant' });
    for (const tokens of [first, second, third]) expect((await userInfo(tokens)).status).toBe(401);
  });

  it('leave the other grants of the same user and browser alone (A-129)', async () => {
    const browser = new FormBrowser();
    const abused = await signIn(issuer, { browser });
    const other = await signIn(issuer, { browser });
    await refresh(abused);
    await expect(refresh(abused)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await userInfo(other)).status).toBe(200);
    expect((await refresh(other)).access_token).toEqual(expect.any(String));
  });

  it('succeed once when 20 use one at once (A-130)', async () => {
    const tokens = await signIn(issuer);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        postToken({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }),
      ),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('give fewer scopes when asked, never more, and a rejected request costs nothing (A-134)', async () => {
    const tokens = await signIn(issuer, { scope: 'openid read:data' });
    const wider = await postToken({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token ?? '',
      scope: 'openid read:data write:data',
    });
    expect(await rejectionOf(wider)).toBe('400 invalid_scope');
    const narrower = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', { scope: 'openid' });
    expect(claimsOf(narrower.access_token)['scope']).toBe('openid');
    const again = await client.refreshTokenGrant(config, narrower.refresh_token ?? '');
    expect(String(claimsOf(again.access_token)['scope']).split(' ')).toEqual(['openid', 'read:data']);
  });

  it('are not mistaken for other tokens, nor other tokens for them (A-135, A-136)', async () => {
    const tokens = await signIn(issuer);
    for (const wrong of [tokens.access_token, tokens.id_token ?? '', 'garbage', `${tokens.refresh_token}x`])
      expect(await rejectionOf(await postToken({ grant_type: 'refresh_token', refresh_token: wrong }))).toBe(
        '400 invalid_grant',
      );
    for (const wrong of [tokens.refresh_token ?? '', tokens.id_token ?? ''])
      expect((await userInfo({ access_token: wrong })).status).toBe(401);
    expect(await rejectionOf(await postToken({ grant_type: 'refresh_token' }))).toBe('400 invalid_request');
    expect((await refresh(tokens)).access_token).toEqual(expect.any(String));
  });

  function refresh(tokens: Tokens): Promise<Tokens> {
    return client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  }
});
