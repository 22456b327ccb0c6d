import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTokenIssuer, type TokenIssuer } from '../testing/token-issuer.ts';
import { createAuthenticator, type Authenticator } from './authenticator.ts';
import { ANONYMOUS, type Caller } from './caller.ts';
import { fetchKeySet, createKeySet, type KeySet } from './key-set.ts';
import { InvalidAccessToken, ownTokenRules } from './token-rules.ts';
import { createUsedProofs } from './used-proofs.ts';

let issuer: TokenIssuer;
let keys: KeySet;
let clockMs: number;
let revoked: Set<string>;
let authenticator: Authenticator;

beforeAll(async () => {
  issuer = await startTokenIssuer();
});
afterAll(() => issuer.close());

beforeEach(() => {
  issuer.misbehave(undefined);
  clockMs = Date.now();
  revoked = new Set();
  keys = createKeySet({
    fetchKeys: () => fetchKeySet(issuer.jwksUrl),
    cooldownMs: () => 0,
    now: () => clockMs,
  });
  authenticator = createAuthenticator({
    issuers: [{ issuer: issuer.issuer, rules: ownTokenRules(issuer.audience), keys }],
    leewayS: 10,
    revokedTokens: {
      has: ({ grantId }) => grantId !== undefined && revoked.has(grantId),
      onRevoked: () => () => undefined,
    },
    now: () => clockMs,
    cacheSize: 3,
    proofs: { usedProofs: createUsedProofs({ redis: undefined, lifetimeS: 120 }) },
  });
});

const authenticate = async (token: string): Promise<Caller> => authenticator.authenticate(`Bearer ${token}`);

describe('Verified tokens', () => {
  it('are remembered: a second request gets the same caller at once', async () => {
    const token = await issuer.sign();
    const first = await authenticate(token);
    const second = authenticator.authenticate(`Bearer ${token}`);
    expect(second).toBe(first);
    expect(first.scopes).toEqual(new Set(['read:data', 'read:profile']));
  });

  it('are verified once for requests that arrive together', async () => {
    const token = await issuer.sign();
    const callers = await Promise.all([authenticate(token), authenticate(token), authenticate(token)]);
    expect(new Set(callers).size).toBe(1);
  });

  it('are known from then on, as long as they would be taken', async () => {
    const token = await issuer.sign({ gid: 'grant-1' });
    const isKnown = (): boolean => authenticator.isKnown(`Bearer ${token}`);
    expect([isKnown(), authenticator.isKnown(undefined), authenticator.isKnown('Basic abc')]).toEqual([
      false,
      false,
      false,
    ]);
    await authenticate(token);
    expect(isKnown()).toBe(true);
    revoked.add('grant-1');
    expect(isKnown()).toBe(false);
    revoked.clear();
    clockMs += 900_000 + 11_000;
    expect(isKnown()).toBe(false);
  });

  it('are forgotten when they expire', async () => {
    const token = await issuer.sign();
    await authenticate(token);
    clockMs += 900_000 + 11_000;
    await expect(authenticate(token)).rejects.toThrow('The access token has expired.');
  });

  it('F-14 are good within the leeway of clocks, and not beyond', async () => {
    const nowS = Math.floor(clockMs / 1_000);
    for (const skewS of [5, 9]) {
      await authenticate(await issuer.sign({ exp: nowS - skewS }));
      await authenticate(await issuer.sign({ iat: nowS + skewS, nbf: nowS + skewS }));
    }
    for (const skewS of [12, 30, 300]) {
      await expect(authenticate(await issuer.sign({ exp: nowS - skewS }))).rejects.toThrow(
        InvalidAccessToken,
      );
      await expect(authenticate(await issuer.sign({ iat: nowS + skewS }))).rejects.toThrow(
        InvalidAccessToken,
      );
      await expect(authenticate(await issuer.sign({ nbf: nowS + skewS }))).rejects.toThrow(
        InvalidAccessToken,
      );
    }
  });

  it.each(
    [5, 10, 30].flatMap((leewayS) =>
      [5, 30, 300].map((skewS) => [skewS, leewayS, skewS <= leewayS] as const),
    ),
  )(
    'F-14 with clocks that are %i s apart and a leeway of %i s are good: %s',
    async (skewS, leewayS, isGood) => {
      const nowS = Math.floor(clockMs / 1_000);
      const skewed = createAuthenticator({
        issuers: [{ issuer: issuer.issuer, rules: ownTokenRules(issuer.audience), keys }],
        leewayS,
        revokedTokens: { has: () => false, onRevoked: () => () => undefined },
        now: () => clockMs,
        cacheSize: 10,
        proofs: { usedProofs: createUsedProofs({ redis: undefined, lifetimeS: 120 }) },
      });
      const isTaken = async (claims: Readonly<Record<string, unknown>>): Promise<boolean> => {
        const token = await issuer.sign(claims);
        const attempt = async (): Promise<Caller> => skewed.authenticate(`Bearer ${token}`);
        return attempt().then(
          () => true,
          () => false,
        );
      };
      const ofTheFuture = nowS + skewS;
      expect(await isTaken({ iat: ofTheFuture, nbf: ofTheFuture, exp: ofTheFuture + 900 })).toBe(isGood);
      const inItsLastSecond = nowS - skewS + 1; // by the clock of the issuer
      expect(await isTaken({ iat: inItsLastSecond - 900, exp: inItsLastSecond })).toBe(isGood);
    },
  );

  it.each([
    [500, 'garbage'],
    [200, 'garbage'],
    [200, ''],
    [200, '{"keys":[]}'],
    [302, '{"keys":[]}'],
  ])(
    'F-15 of known keys are good while the issuer answers %i %j, who is asked once a cooldown',
    async (status, body) => {
      keys = createKeySet({
        fetchKeys: () => fetchKeySet(issuer.jwksUrl),
        cooldownMs: () => 30_000,
        now: () => clockMs,
      });
      const during = createAuthenticator({
        issuers: [{ issuer: issuer.issuer, rules: ownTokenRules(issuer.audience), keys }],
        leewayS: 10,
        revokedTokens: { has: () => false, onRevoked: () => () => undefined },
        now: () => clockMs,
        cacheSize: 1,
        proofs: { usedProofs: createUsedProofs({ redis: undefined, lifetimeS: 120 }) },
      });
      const take = async (header = {}): Promise<Caller> =>
        during.authenticate(`Bearer ${await issuer.sign({}, { header })}`);
      await take();
      issuer.misbehave({ status, body });
      const before = issuer.fetches();
      for (let minute = 1; minute <= 10; minute += 1) {
        clockMs += 60_000;
        for (const kid of ['a', 'b', 'c']) await expect(take({ kid })).rejects.toThrow(InvalidAccessToken);
        await take();
        expect(issuer.fetches() - before).toBe(minute);
      }
    },
  );

  it('are rejected from the moment their grant is revoked', async () => {
    const token = await issuer.sign({ gid: 'grant-7' });
    await authenticate(token);
    revoked.add('grant-7');
    await expect(authenticate(token)).rejects.toThrow('The access token has been revoked.');
    await expect(authenticate(await issuer.sign({ gid: 'grant-7' }))).rejects.toThrow('revoked');
    await authenticate(await issuer.sign({ gid: 'grant-8' }));
  });

  it('are judged again when the issuer withdraws a key', async () => {
    const token = await issuer.sign();
    const before = await authenticate(token);
    await issuer.rotate();
    await authenticate(await issuer.sign());
    const after = await authenticate(token);
    expect(after).not.toBe(before);
    await issuer.rotate({ retire: true });
    await authenticate(await issuer.sign());
    await expect(authenticate(token)).rejects.toThrow(InvalidAccessToken);
  });

  it('are cached in bounded number', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 5 }, (_, index) => issuer.sign({ jti: `${index}` })),
    );
    const callers = [];
    for (const token of tokens) callers.push(await authenticate(token));
    expect(authenticator.authenticate(`Bearer ${tokens[4]}`)).toBe(callers[4]);
    expect(await authenticate(tokens[0] ?? '')).not.toBe(callers[0]);
  });
});

describe('Callers', () => {
  it('without a token are anonymous', () => {
    expect(authenticator.authenticate(undefined)).toBe(ANONYMOUS);
  });

  it('that act for themselves are no user', async () => {
    const caller = await authenticate(await issuer.sign({ sub: 'robot', client_id: 'robot' }));
    expect(caller.context).toEqual({
      issuer: issuer.issuer,
      clientId: 'robot',
      grantId: 'grant-1',
      scopes: ['read:data', 'read:profile'],
    });
  });

  it('have claims of their own properties alone', async () => {
    const caller = await authenticate(await issuer.sign({ gid: undefined, roles: ['ADMIN', 7, null] }));
    expect(caller.grantId).toBeUndefined();
    expect(caller.context.user?.roles).toEqual(['ADMIN']);
  });
});
