import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  basic,
  CLIENT_SECRET,
  obtainTokens,
  postForm,
  startTestAuthServer,
  type TestAuthServer,
} from '@trellis/auth-server/testing';
import { createKeySet, createTokenIntrospection, fetchKeySet, tokenRulesOf } from '@trellis/gateway/testing';

const API = 'https://api.example/graphql';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer();
});
afterAll(() => server.stop());

describe('RFC 9701: signed introspection from end to end', () => {
  it("A-241 the gateway takes this server's signed word about a token, and that it is revoked", async () => {
    const { issuer } = server;
    const { accessToken, refreshToken } = await obtainTokens(issuer);
    const introspection = createTokenIntrospection({
      issuer,
      rules: tokenRulesOf({ audience: API, profile: 'rfc9068' }),
      url: async () => `${issuer}/introspect`,
      clientId: 'basic',
      clientSecret: CLIENT_SECRET,
      signedBy: createKeySet({ fetchKeys: () => fetchKeySet(`${issuer}/jwks.json`) }),
      cacheMs: 0,
      negativeCacheMs: 0,
      maxConcurrent: 8,
      leewayS: 10,
    });
    const sender = { keys: ['a'] as const, isKnown: false };
    expect(await introspection.introspect(accessToken, sender)).toMatchObject({
      context: { issuer, clientId: 'spa', scopes: expect.arrayContaining(['read:data']) as string[] },
    });
    await postForm(`${issuer}/revoke`, { token: refreshToken, client_id: 'spa' }, {});
    await expect(introspection.introspect(accessToken, sender)).rejects.toThrow('not valid here');
    expect(
      (await postForm(`${issuer}/introspect`, { token: accessToken }, basic('basic'))).body['active'],
    ).toBe(false);
  });
});
