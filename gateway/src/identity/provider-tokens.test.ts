import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hostileVariants, type GoodToken } from '../../test-fixtures/provider-tokens/hostile-variants.ts';
import { tokenShapes, type Claims, type TokenShape } from '../../test-fixtures/provider-tokens/shapes.ts';
import { createTokenForge, type TokenForge } from '../../test-fixtures/provider-tokens/token-forge.ts';
import { configuredIssuers } from '../config/configured-issuers.ts';
import type { IssuerSettings } from '../settings/authentication.ts';
import { settingsSchema } from '../settings/settings.ts';
import type { Caller } from './caller.ts';
import { InvalidAccessToken } from './token-rules.ts';
import { createKeySet } from './key-set.ts';
import { createAccessTokenVerification } from './verify-access-token.ts';

const page = readFileSync(new URL('../../../docs/trusted-issuers.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = '']) => text);

/** The configuration that the documentation has for a profile: the first block that names it. */
function documented(profile: string): { readonly text: string; readonly settings: IssuerSettings } {
  const text = blocks.find((block) => block.includes(`profile: ${profile}\n`)) ?? '';
  const { authentication } = settingsSchema.parse(parse(text));
  const [settings] = authentication?.issuers ?? [];
  if (!settings) throw new Error(`The documentation has no configuration for ${profile}.`);
  return { text, settings };
}

let forge: TokenForge;
let good: (shape: TokenShape, settings: IssuerSettings) => GoodToken;

beforeAll(() => {
  forge = createTokenForge();
  good = (shape, { issuer, audience }) => {
    const nowS = Math.floor(Date.now() / 1_000);
    const times = { iat: nowS, exp: nowS + 600 };
    const header = { alg: 'RS256', kid: 'rsa', ...shape.header };
    const claims = { iss: issuer, ...shape.claims(String(audience)), ...times };
    return { shape, forge, issuer, audience: String(audience), nowS, header, claims };
  };
});

/** Verifies as a gateway with this configuration, and the keys of the forge. */
function verifierOf(...settings: IssuerSettings[]): (token: string) => Promise<Caller> {
  const none = { TOKEN_ISSUER: undefined, TOKEN_AUDIENCE: undefined, TOKEN_JWKS_URL: undefined };
  const keys = createKeySet({ fetchKeys: async () => forge.keys });
  const issuers = configuredIssuers({ ...none, settings: { authentication: { issuers: settings } } });
  return createAccessTokenVerification({ issuers: issuers.map((issuer) => ({ ...issuer, keys })) });
}

describe.each(Object.entries(tokenShapes))('C1, M12: Tokens of the shape of %s', (profile, shape) => {
  const { text, settings } = documented(profile);
  const sign = (header: Claims = {}, claims: Claims = {}): string => {
    const token = good(shape, settings);
    return forge.forge({ ...token.header, ...header }, { ...token.claims, ...claims });
  };

  it('are accepted with the three lines of the documentation', async () => {
    expect(text.trim().split('\n').slice(2).join('\n')).toMatch(
      /^ {4}- issuer: \S+\n {6}audience: \S+\n {6}profile: \S+$/,
    );
    const verified = verifierOf(settings)(sign());
    await expect(verified, 'it is accepted').resolves.toBeDefined();
    const { context, claims } = await verified;
    const { clientId, scopes, roles, name, tenant, groups = [] } = shape.caller;
    expect(context).toMatchObject({ issuer: settings.issuer, clientId, scopes });
    expect(context.user?.roles).toEqual(roles);
    expect(context.user?.name).toBe(name);
    expect({ tenant: claims['tenant'], groups: claims['groups'], roles: claims['roles'] }).toEqual({
      tenant,
      groups,
      roles,
    });
  });

  it('give nothing where their issuer is a further one', async () => {
    const first = { issuer: 'https://first.example', audience: 'graph' };
    const { context, scopes, claims } = await verifierOf(first, settings)(sign());
    expect([[...scopes], context.scopes, context.user?.roles, claims['roles']]).toEqual([[], [], [], []]);
  });

  it('have at least 40 hostile variants', () => {
    expect(hostileVariants.length + Object.keys(shape.others).length).toBeGreaterThanOrEqual(40);
  });

  it.each(hostileVariants)('are rejected $what', async ({ make, names }) => {
    const verify = verifierOf(settings);
    const rejection = await verify(make(good(shape, settings))).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(rejection).toBeInstanceOf(InvalidAccessToken);
    const { reason, message } = rejection as InvalidAccessToken; // the line before
    expect(reason.length).toBeGreaterThan(10);
    if (names !== undefined) expect(reason).toContain(names);
    expect(message).toMatch(/^The access token (?:is not valid here|has expired)\.$/);
  });

  it.each(Object.entries(shape.others))('are no %s', async (_what, claims) => {
    await expect(verifierOf(settings)(sign({}, claims))).rejects.toThrow(InvalidAccessToken);
  });
});

describe('What an operator says otherwise than a profile', () => {
  const { settings } = documented('general');
  const token = (claims: Claims, header: Claims = { alg: 'RS256', kid: 'rsa' }): string => {
    const nowS = Math.floor(Date.now() / 1_000);
    const times = { iat: nowS, exp: nowS + 600 };
    return forge.forge(header, { iss: 'https://id.example', aud: 'graph', sub: 'ada', ...times, ...claims });
  };
  const base: IssuerSettings = { issuer: 'https://id.example', audience: 'graph', profile: 'general' };
  const callerOf = (changes: Partial<IssuerSettings>, claims: Claims): Promise<Caller> =>
    verifierOf({ ...base, ...changes })(token(claims));

  it.each<
    [string, NonNullable<IssuerSettings['claims']>, Claims, Partial<Record<'scopes' | 'roles', string[]>>]
  >([
    ['a path', { roles: 'realm.roles' }, { realm: { roles: ['A'] } }, { roles: ['A'] }],
    [
      'a name with dots, in quotes',
      { roles: 'access."my.api".roles' },
      { access: { 'my.api': { roles: 'A' } } },
      { roles: ['A'] },
    ],
    [
      'a namespaced name',
      { roles: 'https://graph.example/roles' },
      { 'https://graph.example/roles': ['A'] },
      { roles: ['A'] },
    ],
    [
      'several paths',
      { scopes: ['a', 'b.c'] },
      { a: 'x y', b: { c: ['z', 'x'] } },
      { scopes: ['x', 'y', 'z'] },
    ],
    [
      'the audience in a path',
      { roles: 'of.{audience}' },
      { of: { graph: ['A'], other: ['B'] } },
      { roles: ['A'] },
    ],
    [
      'what every object inherits',
      { roles: 'constructor.name', scopes: '__proto__.x' },
      {},
      { roles: [], scopes: [] },
    ],
    ['the length of a text', { roles: 'sub.length' }, {}, { roles: [] }],
  ])('reads %s', async (_what, claims, given, expected) => {
    const { context } = await callerOf({ claims }, given);
    if (expected.roles) expect(context.user?.roles).toEqual(expected.roles);
    if (expected.scopes) expect(context.scopes).toEqual(expected.scopes);
  });

  it.each([
    ['PS256', 'rsa'],
    ['EdDSA', 'ed'],
    ['ES256', 'ec'],
  ] as const)('has %s in the general profile and in that of RFC 9068', async (alg, kid) => {
    const claims = good(tokenShapes.rfc9068, base).claims;
    const signed = forge.forge({ alg, kid, typ: 'at+jwt' }, { ...claims, aud: 'graph' }, alg);
    for (const profile of ['general', 'rfc9068'] as const)
      expect((await verifierOf({ ...base, profile })(signed)).scopes.has('read:data')).toBe(true);
    await expect(verifierOf({ ...base, algorithms: ['RS256'] })(signed)).rejects.toThrow(InvalidAccessToken);
  });

  it('takes any of several audiences, in a text or a list', async () => {
    const either = { audience: ['graph', 'graph-2'] };
    for (const aud of ['graph', 'graph-2', ['x', 'graph-2']])
      expect((await callerOf(either, { aud })).authenticated).toBe(true);
    await expect(callerOf(either, { aud: ['x', 'graph-3'] })).rejects.toThrow(InvalidAccessToken);
  });

  it('takes the tenants that are listed', async () => {
    expect((await callerOf({ tenants: ['a'] }, { tid: 'a' })).claims['tenant']).toBe('a');
    await expect(callerOf({ tenants: ['a'] }, { tid: 'b' })).rejects.toThrow(InvalidAccessToken);
    await expect(callerOf({ tenants: ['a'] }, {})).rejects.toThrow(InvalidAccessToken);
  });

  it('takes the types that are listed, and tokens without one only where none is', async () => {
    const typed = (typ: string | undefined, types: string[]): Promise<Caller> =>
      verifierOf({ ...base, types })(token({}, { alg: 'RS256', kid: 'rsa', typ }));
    expect((await typed('application/Special+JWT', ['special+jwt'])).authenticated).toBe(true);
    expect((await typed(undefined, ['none'])).authenticated).toBe(true);
    await expect(typed(undefined, ['special+jwt'])).rejects.toThrow(InvalidAccessToken);
    await expect(typed('JWT', ['none'])).rejects.toThrow(InvalidAccessToken);
  });

  it('says which paths find nothing, and which they are', async () => {
    const absent: unknown[] = [];
    const none = { TOKEN_ISSUER: undefined, TOKEN_AUDIENCE: undefined, TOKEN_JWKS_URL: undefined };
    const claims = { roles: 'a.b', scopes: 'scope', groups: 'c' };
    const issuers = configuredIssuers({
      ...none,
      settings: { authentication: { issuers: [{ ...base, claims }] } },
    });
    const keys = createKeySet({ fetchKeys: async () => forge.keys });
    const onAbsentClaims = (issuer: string, kinds: readonly string[]): number => absent.push([issuer, kinds]);
    const verify = createAccessTokenVerification({
      issuers: issuers.map((issuer) => ({ ...issuer, keys })),
      onAbsentClaims,
    });
    expect((await verify(token({ scope: 'x' }))).absentClaims).toEqual(['roles', 'groups']);
    expect(absent).toEqual([['https://id.example', ['roles', 'groups']]]);
  });

  it('holds a policy about a recent sign-in no longer than the sign-in is recent', async () => {
    const policies = {
      recent: { claim: 'acr', value: 'phr', maxAgeS: 300 },
      acr: { claim: 'acr', value: 'phr' },
    };
    const none = { TOKEN_ISSUER: undefined, TOKEN_AUDIENCE: undefined, TOKEN_JWKS_URL: undefined };
    const [issuer] = configuredIssuers({ ...none, settings: { authentication: { issuers: [base] } } });
    if (!issuer) throw new Error('There is no issuer.');
    const keys = createKeySet({ fetchKeys: async () => forge.keys });
    const verify = createAccessTokenVerification({ issuers: [{ ...issuer, keys }], policies });
    const signedInAtS = Math.floor(Date.now() / 1_000) - 10;
    const recent = await verify(token({ acr: 'phr', auth_time: signedInAtS }));
    expect([recent.context.policies, recent.judgedUntilMs]).toEqual([
      ['recent', 'acr'],
      (signedInAtS + 300) * 1_000,
    ]);
    const old = await verify(token({ acr: 'phr', auth_time: signedInAtS - 300 }));
    expect([old.context.policies, old.judgedUntilMs]).toEqual([['acr'], undefined]);
  });

  it('are the settings that the documentation has', () => {
    expect(settings.algorithms).toEqual(['ES256', 'EdDSA']);
    for (const block of blocks) expect(settingsSchema.safeParse(parse(block)).error, block).toBeUndefined();
  });
});

describe('Clients that act for themselves', () => {
  it.each<[keyof typeof tokenShapes, Claims]>([
    ['auth0', { sub: 'spa-client@clients', gty: 'client-credentials' }],
    ['okta', { sub: '0oabcde' }],
    ['entra', { idtyp: 'app', scp: undefined }],
    ['cognito', { sub: '1example23456789' }],
    ['rfc9068', { sub: 's6BhdRkqt3' }],
  ])('are no users: %s', async (profile, claims) => {
    const { settings } = documented(profile);
    const token = good(tokenShapes[profile], settings);
    const { context } = await verifierOf(settings)(forge.forge(token.header, { ...token.claims, ...claims }));
    expect(context.user).toBeUndefined();
    expect(context.clientId).toBe(tokenShapes[profile].caller.clientId);
  });
});
