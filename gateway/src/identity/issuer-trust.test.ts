import { exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { IssuerSettings } from '../settings/authentication.ts';
import { clientOf, userOf, type Caller } from './caller.ts';
import { configuredIssuers } from '../config/configured-issuers.ts';
import { groupOf, holdsPolicy } from './policies.ts';
import { userIdOf } from './user-id.ts';
import { createAccessTokenVerification } from './verify-access-token.ts';

const FIRST = 'https://id.example';
const PARTNER = 'https://partner.example';
const ADA = '01890a5d-ac96-774b-bcce-b302099a8057';
const POLICIES = { gold: { claim: 'tier', value: 'gold' } };
const CLAIMS = {
  sub: ADA,
  client_id: 'web',
  name: 'Ada',
  email: 'ada@example.com',
  scope: 'read:data write:data',
  roles: ['ADMIN', 'EDITOR'],
  tier: 'gold',
};

let privateKey: CryptoKey;
let publicKey: CryptoKey;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  privateKey = pair.privateKey;
  publicKey = (await importJWK(await exportJWK(pair.publicKey), 'ES256')) as CryptoKey; // an EC key
});

type Trust = Partial<Pick<IssuerSettings, 'scopes' | 'roles' | 'policies' | 'users'>>;

/** The caller of a token, where the settings of the issuers are these; the first is the one of the environment. */
async function callerOf(issuer: string, trust: Trust = {}, claims: object = {}): Promise<Caller> {
  const names = { TOKEN_ISSUER: FIRST, TOKEN_AUDIENCE: 'graph', TOKEN_JWKS_URL: `${FIRST}/jwks` };
  const further = { issuer: PARTNER, audience: 'graph', jwksUrl: `${PARTNER}/jwks`, ...trust };
  const issuers = configuredIssuers({ ...names, settings: { authentication: { issuers: [further] } } });
  const keys = {
    findKey: () => Promise.resolve(publicKey),
    generation: () => 0,
    load: () => Promise.resolve(),
  };
  const verify = createAccessTokenVerification({ issuers: issuers.map((known) => ({ ...known, keys })) });
  return verify(
    await new SignJWT({ ...CLAIMS, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience('graph')
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey),
  );
}

/** What a caller may do, and as whom. */
async function rightsOf(issuer: string, trust?: Trust): Promise<object> {
  const caller = await callerOf(issuer, trust);
  return {
    isAda: caller.context.user?.id === ADA,
    scopes: caller.context.scopes,
    roles: caller.context.user?.roles,
    isGold: holdsPolicy(caller, 'gold', POLICIES),
    isAdmin: holdsPolicy(caller, 'role:ADMIN', POLICIES),
  };
}

const nothing = { isAda: false, scopes: [], roles: [], isGold: false, isAdmin: false };

describe('G4: What the tokens of a further issuer give', () => {
  const settings: readonly (readonly [
    title: string,
    trust: Trust,
    given: Partial<typeof nothing> | object,
  ])[] = [
    ['by default nothing', {}, {}],
    ['the scopes that it may give', { scopes: ['read:data', 'other'] }, { scopes: ['read:data'] }],
    ['no scope of an empty list', { scopes: [] }, {}],
    ['the roles that it may give', { roles: ['EDITOR'] }, { roles: ['EDITOR'] }],
    ['the role of an administrator, where it may', { roles: ['ADMIN'] }, { roles: ['ADMIN'], isAdmin: true }],
    ['the policies that it may give', { policies: ['gold'] }, { isGold: true }],
    ['no policy that is a role', { policies: ['role:ADMIN'] }, {}],
    ['users of its own', { users: 'own' }, {}],
    ['users of the first issuer, where they are linked', { users: 'linked' }, { isAda: true }],
  ];
  it.each(settings)('is %s', async (_title, trust, given) => {
    expect(await rightsOf(PARTNER, trust)).toEqual({ ...nothing, ...given });
  });

  it('leaves the first issuer as it is', async () => {
    expect(await rightsOf(FIRST)).toEqual({
      isAda: true,
      scopes: ['read:data', 'write:data'],
      roles: ['ADMIN', 'EDITOR'],
      isGold: true,
      isAdmin: true,
    });
  });
});

describe('G4: Without an issuer in the environment', () => {
  const inFile = (trust: Trust): IssuerSettings => ({
    issuer: PARTNER,
    audience: 'graph',
    jwksUrl: `${PARTNER}/jwks`,
    ...trust,
  });
  const none = { TOKEN_ISSUER: undefined, TOKEN_AUDIENCE: undefined, TOKEN_JWKS_URL: undefined };
  const trustsOf = (...issuers: IssuerSettings[]): readonly object[] =>
    configuredIssuers({ ...none, settings: { authentication: { issuers } } }).map(({ trust }) => trust);

  it('the first of the file is the first, and may be restricted', () => {
    const all = { scopes: undefined, roles: undefined, policies: undefined, users: 'first' };
    expect(trustsOf(inFile({}))).toEqual([all]);
    expect(trustsOf(inFile({ roles: ['VIEWER'] }))).toEqual([{ ...all, roles: new Set(['VIEWER']) }]);
    expect(trustsOf(inFile({}), { ...inFile({}), issuer: 'https://b.example' })[1]).toEqual({
      scopes: new Set(),
      roles: new Set(),
      policies: new Set(),
      users: 'own',
    });
  });

  it('no issuer is named twice', () => {
    expect(() => trustsOf(inFile({}), inFile({}))).toThrow(/is named twice/);
  });
});

describe('G4: Users of two issuers with one sub', () => {
  it('differ in id, in rates and caches, and are the same with every token of their own', async () => {
    const [first, partner, again] = [await callerOf(FIRST), await callerOf(PARTNER), await callerOf(PARTNER)];
    expect(first.context.user?.id).toBe(ADA);
    expect(partner.context.user?.id).toMatch(
      /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    );
    expect(again.context.user?.id).toBe(partner.context.user?.id);
    expect(userOf(again)).toBe(userOf(partner));
    expect(userOf(partner)).not.toBe(userOf(first));
    expect(clientOf(partner)).not.toBe(clientOf(first));
    expect([first.context.issuer, partner.context.issuer]).toEqual([FIRST, PARTNER]);
  });

  it('are in no group together, and are one user where they are linked', async () => {
    const everything = { scopes: ['read:data', 'write:data'], roles: ['ADMIN', 'EDITOR'] };
    const [first, partner] = [await callerOf(FIRST), await callerOf(PARTNER, everything)];
    expect(groupOf(partner).context).toEqual({ ...groupOf(first).context, issuer: PARTNER });
    expect(userOf(await callerOf(PARTNER, { users: 'linked' }))).toBe(userOf(first));
  });

  it('can not be chosen: no sub comes out as the id that was made for another', () => {
    const made = userIdOf(PARTNER, ADA, { users: 'own' });
    for (const sub of [made, made.toUpperCase()]) {
      expect(userIdOf(FIRST, sub, { users: 'first' }).toLowerCase()).not.toBe(made);
      expect(userIdOf(PARTNER, sub, { users: 'own' })).not.toBe(made);
    }
    expect(userIdOf('a', '","b', { users: 'own' })).not.toBe(userIdOf('a","', 'b', { users: 'own' }));
  });

  it('are anonymous where they are clients that act for themselves', async () => {
    const client = await callerOf(PARTNER, {}, { sub: 'web' });
    expect(client.context).toMatchObject({ issuer: PARTNER, clientId: 'web' });
    expect(client.context.user).toBeUndefined();
  });
});
