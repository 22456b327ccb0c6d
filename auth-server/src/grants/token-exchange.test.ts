import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TOKEN_EXCHANGE_GRANT } from '../clients/grant-types.ts';
import { addClient, command } from '../testing/add-client.ts';
import { basic, postForm, type JsonResponse } from '../testing/flow.ts';
import { API, CALLBACK } from '../testing/test-clients.ts';
import { ACCESS_TOKEN_TYPE } from './token-types.ts';

import { SECOND, startExchangeStage, type ExchangeStage } from '../testing/exchange-stage.ts';

const JWT_TYPE = 'urn:ietf:params:oauth:token-type:jwt';

let server: ExchangeStage['server'];
let subject: ExchangeStage['subject'];
let userTokens: ExchangeStage['userTokens'];
let machineToken: ExchangeStage['machineToken'];
let trade: ExchangeStage['trade'];
let traded: ExchangeStage['traded'];
let isActive: ExchangeStage['isActive'];
let audited: ExchangeStage['audited'];

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }); // so that tokens expire at a word
  ({ server, subject, userTokens, machineToken, trade, traded, isActive, audited } =
    await startExchangeStage());
});
afterAll(async () => {
  vi.useRealTimers();
  await server.stop();
});

describe('RFC 8693: Token exchange', () => {
  it('A-216 gives a token for another API in the name of the user, which says who acts, and no more than the one before', async () => {
    const { status, body, headers } = await trade('api', { audience: SECOND });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({ issued_token_type: ACCESS_TOKEN_TYPE, token_type: 'Bearer' });
    expect(body).not.toHaveProperty('refresh_token');
    expect(body).not.toHaveProperty('id_token');
    const before = decodeJwt(subject.accessToken);
    const after = decodeJwt(String(body['access_token']));
    expect(after).toMatchObject({
      iss: server.issuer,
      sub: before.sub,
      aud: SECOND,
      client_id: 'api',
      act: { sub: 'api', client_id: 'api' },
      exchanged_from: ['basic'],
      gid: before['gid'],
      scope: 'profile read:data write:data',
      roles: before['roles'],
      name: before['name'],
      auth_time: before['auth_time'],
      acr: before['acr'],
    });
    expect(after).not.toHaveProperty('email'); // the client is not registered for it
    expect(after.exp).toBeLessThanOrEqual(Number(before.exp));
    expect(after.jti).not.toBe(before.jti);
    const { body: introspected } = await postForm(
      `${server.issuer}/introspect`,
      { token: String(body['access_token']) },
      basic('second'),
    );
    expect(introspected).toMatchObject({ active: true, client_id: 'api', act: { sub: 'api' } });
  });

  it('takes the types that access tokens have, and names the one that was asked for', async () => {
    const changes = { subject_token_type: JWT_TYPE, requested_token_type: JWT_TYPE, resource: API };
    expect((await trade('api', changes)).body).toMatchObject({ issued_token_type: JWT_TYPE });
    expect((await trade('api', { resource: SECOND, audience: SECOND })).status).toBe(200);
  });

  it('lets a client narrow a token of its own, which stays its own', async () => {
    const own = await userTokens('own-only');
    const token = await traded('own-only', { subject_token: own.accessToken, scope: 'read:data' });
    expect(decodeJwt(token)).toMatchObject({ scope: 'read:data', client_id: 'own-only', gid: own.grantId });
    for (const claim of ['act', 'exchanged_from']) expect(decodeJwt(token)).not.toHaveProperty(claim);
    const machine = await traded('api', { subject_token: await machineToken('api'), scope: 'read:data' });
    expect(decodeJwt(machine)).toMatchObject({ sub: 'api', client_id: 'api', scope: 'read:data' });
    expect(decodeJwt(machine)).not.toHaveProperty('act');
  });

  it('A-217 delegates to the subject of the actor token', async () => {
    const actor = { actor_token: await machineToken('support'), actor_token_type: ACCESS_TOKEN_TYPE };
    expect(decodeJwt(await traded('support', actor))['act']).toEqual({
      sub: 'support',
      client_id: 'support',
    });
    const ed = await userTokens('own-only', 'ed@example.com');
    const own = await userTokens('own-only');
    const byEd = await traded('own-only', {
      subject_token: own.accessToken,
      actor_token: ed.accessToken,
      actor_token_type: JWT_TYPE,
    });
    const edId = decodeJwt(ed.accessToken).sub;
    expect(decodeJwt(byEd)['act']).toEqual({ sub: edId, client_id: 'own-only' });
    expect(audited('token_exchanged').at(-1)).toMatchObject({ actor: edId, clientId: 'own-only' });
  });

  it('A-217 impersonates for a client alone that may, and never hides an actor of before', async () => {
    expect(decodeJwt(await traded('support'))).not.toHaveProperty('act');
    const delegated = await traded('api');
    expect(decodeJwt(await traded('support', { subject_token: delegated }))['act']).toEqual({
      sub: 'support',
      client_id: 'support',
      act: { sub: 'api', client_id: 'api' },
    });
  });

  it('A-218 nests actors, to a bound, and prolongs nothing along a chain', async () => {
    let token = subject.accessToken;
    const step = async (index: number): Promise<JsonResponse> => {
      const [client, target] = index % 2 === 0 ? ['api', SECOND] : ['second', API];
      return trade(client, { subject_token: token, audience: target });
    };
    for (let index = 0; index < 5; index += 1) {
      const { status, body } = await step(index);
      expect(status, JSON.stringify(body)).toBe(200);
      token = String(body['access_token']);
    }
    const { exp, act, exchanged_from: from } = decodeJwt(token);
    expect(exp).toBeLessThanOrEqual(Number(decodeJwt(subject.accessToken).exp));
    expect(JSON.stringify(act).match(/"sub"/g)).toHaveLength(5);
    expect(from).toEqual(['basic', 'second']);
    expect(await step(5)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

describe('RFC 8693: Registration for token exchange', () => {
  const service = { grant_types: [TOKEN_EXCHANGE_GRANT], client_id: 'new' };
  it.each<[string, object, string]>([
    [
      'a public client',
      { ...service, client_secret: undefined, token_endpoint_auth_method: 'none' },
      'needs a client that authenticates',
    ],
    [
      'an API that no one knows',
      { ...service, resource_audiences: ['https://evil.example'] },
      'resource_audiences: unknown here',
    ],
    [
      'a target that no one knows',
      { ...service, token_exchange_audiences: ['x'] },
      'token_exchange_audiences: unknown here',
    ],
    [
      'impersonation without the grant',
      { ...service, grant_types: ['client_credentials'], token_exchange_impersonation: true },
      'has no use without the grant type',
    ],
    [
      'targets without the grant',
      { ...service, grant_types: ['client_credentials'], token_exchange_audiences: [API] },
      'has no use without the grant type',
    ],
  ])('is not for %s', async (_what, metadata, problem) => {
    await expect(addClient(server, metadata)).rejects.toThrow(problem);
  });
});

describe('What ends a token that was exchanged', () => {
  it('A-221 its client can not revoke it: it would end the grant of the other client', async () => {
    const token = await traded('api');
    const { status, body } = await postForm(`${server.issuer}/revoke`, { token }, basic('api'));
    expect([status, body['error']]).toEqual([400, 'unsupported_token_type']);
    expect([await isActive(token), await isActive(subject.accessToken)]).toEqual([true, true]);
    expect((await postForm(`${server.issuer}/revoke`, { token }, basic('basic'))).status).toBe(200); // not its own
    expect(await isActive(token)).toBe(true);
  });

  it('A-221 the grant of the subject token does, along the chain', async () => {
    const own = await userTokens('basic');
    const first = await traded('api', { subject_token: own.accessToken, audience: SECOND });
    const last = await traded('second', { subject_token: first, audience: API });
    expect([await isActive(first), await isActive(last)]).toEqual([true, true]);
    await postForm(`${server.issuer}/revoke`, { token: own.refreshToken }, basic('basic'));
    expect([await isActive(first), await isActive(last)]).toEqual([false, false]);
  });

  it.each(['removed', 'narrowed'])('A-221 each client of the chain that is %s does', async (how) => {
    const names = [`${how}-web`, `${how}-middle`, `${how}-last`] as const;
    const [web, middle, last] = names;
    const code = { redirect_uris: [CALLBACK], scope: 'openid read:data write:data' };
    const service = {
      grant_types: [TOKEN_EXCHANGE_GRANT],
      scope: 'read:data write:data',
      resource_audiences: [API],
    };
    for (const ended of names) {
      await addClient(server, { ...code, client_id: web });
      await addClient(server, { ...service, client_id: middle });
      await addClient(server, { ...service, client_id: last });
      vi.setSystemTime(Date.now() + 6_000); // clients are remembered for 5 s, and a second takes tokens of its own
      const own = (await userTokens(web, undefined, code.scope)).accessToken;
      const token = await traded(last, { subject_token: await traded(middle, { subject_token: own }) });
      expect(await isActive(token)).toBe(true);
      if (how === 'removed') await command(server, 'clients', 'remove', '--client-id', ended);
      else
        await addClient(server, {
          ...(ended === web ? code : service),
          client_id: ended,
          scope: 'read:data',
        });
      expect(await isActive(token), ended).toBe(false);
      expect(await isActive(own), ended).toBe(ended !== web);
    }
  });

  it('A-221 the end of the subject token does', async () => {
    const own = (await userTokens('basic')).accessToken;
    vi.setSystemTime(Date.now() + 600_000);
    const late = await traded('api', { subject_token: own });
    expect(decodeJwt(late).exp).toBe(decodeJwt(own).exp);
    vi.setSystemTime(Date.now() + 301_000);
    expect(await isActive(late)).toBe(false);
    expect((await trade('api', { subject_token: own })).body['error']).toBe('invalid_request');
  });
});
