import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectRedis } from '@trellis/redis';
import { startTestRedis } from '@trellis/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthenticator, type Authenticator } from './authenticator.ts';
import type { Caller } from './caller.ts';
import { createTokenIntrospection } from './introspect-token.ts';
import { InvalidAccessToken, tokenRulesOf } from './token-rules.ts';
import { IssuerBusy } from './issuer-busy.ts';
import { startRevocationFeed } from './revocation-feed.ts';
import type { RevokedTokens } from './revocation.ts';
import { createKeySet, KeysUnavailable } from './key-set.ts';
import { createUsedProofs } from './used-proofs.ts';

const ISSUER = 'https://id.example';
const SECRET = 'se:cret/ä&';

let server: Server;
let url: string;
/** What is known of each token. */
let known: Record<string, unknown>;
let status = 200;
let isSilent = false;
let questions: { readonly authorization: string | undefined; readonly body: string }[];
let open: number;
let mostOpen: number;
let clockMs: number;
let errors: unknown[];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    request.on('data', (chunk: Buffer) => (body += String(chunk)));
    request.on('end', () => {
      questions.push({ authorization: request.headers.authorization, body });
      if (isSilent) return;
      setImmediate(() => {
        open -= 1;
        response.writeHead(status);
        response.end(
          JSON.stringify(known[new URLSearchParams(body).get('token') ?? ''] ?? { active: false }),
        );
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/introspect`; // it listens on TCP
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  known = {};
  status = 200;
  isSilent = false;
  questions = [];
  errors = [];
  open = 0;
  mostOpen = 0;
  clockMs = Date.now();
});

const nowS = (): number => Math.floor(clockMs / 1_000);

function authenticatorWith(
  changes: { readonly maxConcurrent?: number; readonly maxWaitMs?: number } = {},
  revokedTokens?: RevokedTokens,
): Authenticator {
  const rules = tokenRulesOf({ audience: 'graph', profile: 'general' });
  const introspection = createTokenIntrospection({
    issuer: ISSUER,
    rules,
    url: async () => url,
    clientId: 'gate way',
    clientSecret: SECRET,
    cacheMs: 60_000,
    negativeCacheMs: 5_000,
    maxConcurrent: 32,
    leewayS: 10,
    timeoutMs: 300,
    now: () => clockMs,
    outages: { failed: (error) => errors.push(error), succeeded: () => undefined },
    ...changes,
  });
  const keys = createKeySet({ fetchKeys: () => Promise.reject(new Error('there are none')) });
  return createAuthenticator({
    issuers: [{ issuer: ISSUER, rules, keys, introspection }],
    now: () => clockMs,
    ...(revokedTokens && { revokedTokens }),
    proofs: { usedProofs: createUsedProofs({ redis: undefined, lifetimeS: 120 }) },
  });
}

const take = async (authenticator: Authenticator, token: string, address?: string): Promise<Caller> =>
  authenticator.authenticate(`Bearer ${token}`, undefined, undefined, address);

describe('RFC 7662: An opaque token', () => {
  it('is what its issuer says of it', async () => {
    known['opaque-1'] = {
      active: true,
      scope: 'read:data write:data',
      client_id: 'web',
      sub: 'ada',
      aud: ['graph', 'other'],
      iss: ISSUER,
      token_type: 'Bearer',
      exp: nowS() + 600,
      iat: nowS(),
      roles: ['EDITOR'],
    };
    const caller = await take(authenticatorWith(), 'opaque-1');
    expect(caller.context).toMatchObject({
      issuer: ISSUER,
      clientId: 'web',
      scopes: ['read:data', 'write:data'],
    });
    expect(caller.context.user).toMatchObject({ id: 'ada', roles: ['EDITOR'] });
    const [question] = questions;
    const credentials = Buffer.from((question?.authorization ?? '').slice(6), 'base64').toString();
    expect(credentials).toBe('gate+way:se%3Acret%2F%C3%A4%26');
    expect(question?.body).toBe('token=opaque-1&token_type_hint=access_token');
  });

  it('needs no more of it than that it is active, and whose it is', async () => {
    known['a'] = { active: true, sub: 'ada' };
    known['b'] = { active: true, client_id: 'robot' };
    const authenticator = authenticatorWith();
    expect((await take(authenticator, 'a')).context.user?.id).toBe('ada');
    expect((await take(authenticator, 'b')).context).toMatchObject({ clientId: 'robot' });
    expect((await take(authenticator, 'b')).context.user).toBeUndefined();
  });

  it('is asked about once by all who bring it, and again when it has expired', async () => {
    known['a'] = { active: true, sub: 'ada', exp: nowS() + 600 };
    const authenticator = authenticatorWith();
    await Promise.all([take(authenticator, 'a'), take(authenticator, 'a'), take(authenticator, 'a')]);
    for (let index = 0; index < 100; index += 1) await take(authenticator, 'a');
    expect(questions).toHaveLength(1);
    clockMs += 60_001;
    known['a'] = { active: false };
    await expect(take(authenticator, 'a')).rejects.toThrow(InvalidAccessToken);
    expect(questions).toHaveLength(2);
  });

  it('is not taken beyond its expiry, however long it is cached', async () => {
    known['a'] = { active: true, sub: 'ada', exp: nowS() + 20 };
    const authenticator = authenticatorWith();
    await take(authenticator, 'a');
    clockMs += 31_000;
    await expect(take(authenticator, 'a')).rejects.toThrow('The access token has expired.');
  });

  it('that is not active is rejected for a short time without asking again', async () => {
    const authenticator = authenticatorWith();
    for (let index = 0; index < 50; index += 1)
      await expect(take(authenticator, 'a')).rejects.toThrow(InvalidAccessToken);
    expect(questions).toHaveLength(1);
    known['a'] = { active: true, sub: 'ada' };
    clockMs += 5_001;
    expect((await take(authenticator, 'a')).authenticated).toBe(true);
  });

  it.each<[string, object]>([
    ['is active as a text', { active: 'true' }],
    ['is for another audience', { active: true, aud: 'elsewhere' }],
    ['is for a list of others', { active: true, aud: ['elsewhere'] }],
    ['is of another issuer', { active: true, iss: 'https://evil.example' }],
    ['has expired', { active: true, exp: 1 }],
    ['expires at a text', { active: true, exp: '9999999999' }],
    ['is not valid yet', { active: true, nbf: 99_999_999_999 }],
    ['is issued in the future', { active: true, iat: 99_999_999_999 }],
    ['is a refresh token', { active: true, token_type: 'refresh_token' }],
    ['is a refresh token of Keycloak', { active: true, typ: 'Refresh' }],
    ['is an ID token', { active: true, token_use: 'id' }],
    ['is about a list', { active: true, sub: ['ada'] }],
    ['is about no one', { active: true, sub: undefined }],
    ['is bound to a key in an unknown way', { active: true, cnf: { kid: 'a' } }],
    ['has a number for scopes', { active: true, scope: 7 }],
  ])('is rejected when it %s', async (_what, result) => {
    known['a'] = { sub: 'ada', ...result };
    await expect(take(authenticatorWith(), 'a')).rejects.toThrow(InvalidAccessToken);
  });

  it('that is bound to a key is no bearer token', async () => {
    known['a'] = { active: true, sub: 'ada', cnf: { jkt: 'thumbprint' } };
    await expect(take(authenticatorWith(), 'a')).rejects.toThrow('it goes with the scheme DPoP');
  });

  it.each([401, 403, 404, 500, 302])('can not be judged when the issuer answers %i', async (answered) => {
    known['a'] = { active: true, sub: 'ada' };
    status = answered;
    const authenticator = authenticatorWith();
    await expect(take(authenticator, 'a')).rejects.toThrow(KeysUnavailable);
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toContain(SECRET);
    status = 200;
    expect((await take(authenticator, 'a')).authenticated).toBe(true);
  });

  it('can not be judged when the issuer never answers', async () => {
    isSilent = true;
    await expect(take(authenticatorWith(), 'a')).rejects.toThrow(KeysUnavailable);
  });

  it('waits for its turn, and only so many do', async () => {
    const authenticator = authenticatorWith({ maxConcurrent: 2 });
    const tokens = Array.from({ length: 40 }, (_, index) => `t${index}`);
    for (const token of tokens) known[token] = { active: true, sub: token };
    const outcomes = await Promise.allSettled(tokens.map((token) => take(authenticator, token)));
    expect(outcomes.filter(({ status: outcome }) => outcome === 'fulfilled')).toHaveLength(1 + 8); // half, as one network has
    expect(mostOpen).toBeLessThanOrEqual(2);
    expect((await take(authenticator, 't39')).authenticated).toBe(true);
  });

  it('fair shares: one network that floods with unknown opaque tokens does not keep the token of another from being checked', async () => {
    const authenticator = authenticatorWith({ maxConcurrent: 2 });
    known['good'] = { active: true, sub: 'ada' };
    const flood = Array.from({ length: 400 }, (_, index) =>
      take(authenticator, `unknown-${index}`, `203.0.113.${index % 200}`).catch((error: unknown) => error),
    );
    const before = questions.length;
    expect((await take(authenticator, 'good', '198.51.100.7')).authenticated).toBe(true);
    expect(questions.length - before, 'questions that went ahead').toBeLessThanOrEqual(8);
    const outcomes = await Promise.all(flood);
    expect(
      outcomes.filter((error) => error instanceof IssuerBusy && error.why === 'share').length,
    ).toBeGreaterThan(300);
  });

  it('fair shares: a token that was good is asked about again before those that no one knows', async () => {
    const authenticator = authenticatorWith({ maxConcurrent: 2 });
    known['good'] = { active: true, sub: 'ada' };
    await take(authenticator, 'good', '203.0.113.7');
    clockMs += 60_001;
    const flood = Array.from({ length: 400 }, (_, index) =>
      take(authenticator, `unknown-${index}`, '203.0.113.7').catch((error: unknown) => error),
    );
    expect((await take(authenticator, 'good', '203.0.113.7')).authenticated).toBe(true);
    await Promise.all(flood);
  });

  it('waits for its turn no longer than its time', async () => {
    isSilent = true;
    const authenticator = authenticatorWith({ maxConcurrent: 1, maxWaitMs: 20 });
    const first = take(authenticator, 'a', '198.51.100.7').catch((error: unknown) => error);
    await expect(take(authenticator, 'b', '203.0.113.7')).rejects.toMatchObject({
      name: 'KeysUnavailable',
      why: 'timeout',
    });
    expect(await first).not.toBeInstanceOf(IssuerBusy); // that one was sent, without a response
  });

  it('that is cached is rejected at once when the feed of revocations names its grant', async () => {
    const redis = await startTestRedis();
    const connect = () => connectRedis({ url: redis.url, name: 'test', onError: () => undefined });
    const [commands, subscriber] = [connect(), connect()];
    const feed = await startRevocationFeed({ redis: commands, subscriber, onError: () => undefined });
    try {
      known['a'] = { active: true, sub: 'ada', gid: 'grant-a' };
      known['b'] = { active: true, sub: 'ada', gid: 'grant-b' };
      const authenticator = authenticatorWith({}, feed);
      for (const token of ['a', 'b', 'a', 'b']) await take(authenticator, token);
      expect(questions).toHaveLength(2); // they are cached, and their issuer would still call them active
      const ended: boolean[] = [];
      const { grantId, claims } = await take(authenticator, 'a');
      feed.onRevoked((concerns) => ended.push(concerns({ grantId, claims })));
      await commands.publish('revocations', 'grant-a');
      await expect.poll(() => ended).toEqual([true]);
      await expect(take(authenticator, 'a')).rejects.toThrow(InvalidAccessToken);
      expect(authenticator.isKnown('Bearer a')).toBe(false);
      expect((await take(authenticator, 'b')).grantId).toBe('grant-b');
      expect(questions).toHaveLength(2);
    } finally {
      await feed.close();
      commands.disconnect();
      await redis.stop();
    }
  });

  it('ends what runs with it when its issuer says so', async () => {
    known['a'] = { active: true, sub: 'ada' };
    const { keys, ...authenticator } = authenticatorWith();
    const caller = await take({ keys, ...authenticator }, 'a');
    expect(caller.judgedUntilMs).toBe(clockMs + 60_000);
    expect(await keys.isSigned('a')).toBe(true);
    expect(questions).toHaveLength(1);
    clockMs += 60_001;
    known['a'] = { active: false };
    expect(await keys.isSigned('a')).toBe(false);
  });
});
