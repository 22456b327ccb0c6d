import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { PresentedProof } from '../../identity/presented-proof.ts';
import { outcomeOf, rowsBelow, type LiveRow, type LiveRows } from './live-row.ts';
import { ACTIVE_TOKEN, type ReloadWorld } from './reload-world.ts';

/** What a gateway takes a token for: who its caller is, or why it is invalid. */
async function callerOf({ inside }: ReloadWorld, token: string): Promise<unknown> {
  const { authenticator } = inside().configuration.services;
  try {
    const { context, claims, scopes } = await authenticator.authenticate(`Bearer ${token}`);
    const { issuer, user, clientId } = context;
    const { tenant, groups, roles } = claims;
    return {
      issuer,
      user: { ...user, tokenIssuedAt: undefined },
      clientId,
      tenant,
      groups,
      roles,
      scopes: [...scopes],
    };
  } catch (error) {
    return (error as Error).message;
  }
}

/** What is in the tokens that are judged. */
const CLAIMS = {
  aud: 'graph',
  tid: 'a',
  a: { text: 'one', list: ['one', 'two'] },
  b: { text: 'three', list: ['three'] },
};

const signed =
  (
    claims: Readonly<Record<string, unknown>> = {},
    header: Readonly<Record<string, unknown>> = {},
  ): LiveRow['see'] =>
  async (world) =>
    callerOf(world, await world.issuer.sign({ ...CLAIMS, ...claims }, { header }));

const opaque = (token: string): LiveRow['see'] => {
  return async (world) => {
    const { recorder } = world;
    recorder.received.splice(0);
    await callerOf(world, token);
    await callerOf(world, token);
    return recorder.received.map(({ url, headers: { authorization, accept } }) => [
      url,
      authorization,
      accept,
    ]);
  };
};

/** Rows for members of the first issuer, beside an issuer of whom nothing else is special. */
export function identityRows({ issuer, otherIssuer, recorder, redisUrl }: ReloadWorld): LiveRows {
  const first = { issuer: issuer.issuer, audience: 'graph', jwksUrl: issuer.jwksUrl };
  const beside = (more: object = {}): object => ({ authentication: { issuers: [{ ...first, ...more }] } });
  const claimRow = (path: 'text' | 'list'): Omit<LiveRow, 'beside'> => ({
    from: `a.${path}`,
    to: `b.${path}`,
    see: signed(),
  });
  const introspection = { url: `${recorder.url}/first`, clientId: 'gateway', clientSecret: 'secret' };
  const asked = (more: object = {}): object => beside({ introspection: { ...introspection, ...more } });
  const policy = (maxAgeS?: number): object => ({
    ...beside(),
    authorization: { policies: { vetted: { claim: 'level', value: 'high', ...(maxAgeS && { maxAgeS }) } } },
  });
  const members: LiveRows = {
    issuer: { beside: beside(), from: issuer.issuer, to: 'https://id.example/', see: signed() },
    audience: { beside: beside(), from: 'graph', to: 'another graph', see: signed() },
    profile: { beside: beside(), from: 'rfc9068', to: 'general', see: signed({}, { typ: 'JWT' }) },
    jwksUrl: { beside: beside(), from: issuer.jwksUrl, to: otherIssuer.jwksUrl, see: signed() },
    algorithms: { beside: beside(), to: ['PS256'], see: signed() },
    types: { beside: beside(), to: ['jwt'], see: signed() },
    tenants: { beside: beside({ claims: { tenant: 'tid' } }), from: ['a'], to: ['b'], see: signed() },
    'claims.audience': { ...claimRow('text'), beside: beside({ audience: 'one' }) },
    'claims.client': { ...claimRow('text'), beside: beside() },
    'claims.scopes': { ...claimRow('list'), beside: beside() },
    'claims.roles': { ...claimRow('list'), beside: beside() },
    'claims.groups': { ...claimRow('list'), beside: beside() },
    'claims.name': { ...claimRow('text'), beside: beside() },
    'claims.email': { ...claimRow('text'), beside: beside() },
    'claims.tenant': { ...claimRow('text'), beside: beside() },
    'introspection.url': {
      beside: asked(),
      from: introspection.url,
      to: `${recorder.url}/second`,
      see: opaque(ACTIVE_TOKEN),
    },
    'introspection.clientId': { beside: asked(), from: 'gateway', to: 'other', see: opaque(ACTIVE_TOKEN) },
    'introspection.clientSecret': { beside: asked(), from: 'secret', to: 'other', see: opaque(ACTIVE_TOKEN) },
    'introspection.signed': { beside: asked(), to: true, see: opaque(ACTIVE_TOKEN) },
    'introspection.cacheS': { beside: asked(), from: 60, to: 0, see: opaque(ACTIVE_TOKEN) },
    'introspection.negativeCacheS': { beside: asked(), from: 60, to: 0, see: opaque('opaque-and-unknown') },
    'introspection.maxConcurrent': { beside: asked({ negativeCacheS: 0 }), from: 1, to: 32, see: manyOpaque },
    scopes: { beside: beside(), from: ['read:data'], to: ['read:profile'], see: signed() },
    roles: { beside: beside(), from: ['VIEWER'], to: ['EDITOR'], see: signed() },
    policies: { beside: policy(), from: [], to: ['vetted'], see: vetted() },
    users: {
      beside: {
        authentication: {
          issuers: [first, { ...first, issuer: otherIssuer.issuer, jwksUrl: otherIssuer.jwksUrl }],
        },
      },
      index: 1,
      from: 'own',
      to: 'linked',
      see: async (world) => callerOf(world, await otherIssuer.sign(CLAIMS)),
    },
  };
  const metadata: LiveRow['see'] = async ({ gateway }) =>
    (await fetch(`${gateway.url}/.well-known/oauth-protected-resource`)).text();
  return {
    ...rowsBelow('authentication.issuers[]', members),
    'authentication.resource': {
      beside: beside(),
      from: 'https://a.example/graphql',
      to: 'https://b.example/graphql',
      see: metadata,
    },
    'authentication.scopesSupported': {
      beside: { authentication: { issuers: [first], resource: 'https://a.example/graphql' } },
      to: ['read:data'],
      see: metadata,
    },
    'authentication.required': {
      beside: beside(),
      to: true,
      see: async ({ ask }) => outcomeOf(await ask('{ open }')),
    },
    'authentication.leewayS': { beside: beside(), from: 0, to: 300, see: expired },
    'authentication.dpopUrls': { beside: beside(), to: ['https://api.example/graphql'], see: proved },
    'authentication.jwksCooldownMs': { beside: beside(), from: 60_000, to: 1_000, see: keyFetches },
    ...rowsBelow('authentication.clientCertificate', certificateRows(beside())),
    'authorization.policies.<name>.claim': {
      beside: policy(),
      name: 'vetted',
      from: 'level',
      to: 'rank',
      see: vetted(),
    },
    'authorization.policies.<name>.value': {
      beside: policy(),
      name: 'vetted',
      from: 'high',
      to: 'low',
      see: vetted(),
    },
    'authorization.policies.<name>.maxAgeS': {
      beside: policy(),
      name: 'vetted',
      from: 3_600,
      to: 60,
      see: vetted(),
    },
    'headers.public': {
      beside: { headers: { forward: ['x-tenant'] } },
      to: ['x-tenant'],
      see: async ({ ask }) =>
        (await ask('{ counted }', { 'x-tenant': 'a' })).headers.get('cache-control')?.startsWith('private'),
    },
    ...responseCacheRows(redisUrl, first),
  };
}

const manyOpaque: LiveRow['see'] = async (world) => {
  world.recorder.mostOpen = 0;
  await Promise.all([1, 2, 3].map(() => callerOf(world, `unknown-${world.next()}`)));
  return world.recorder.mostOpen;
};

const vetted =
  (): LiveRow['see'] =>
  async ({ ask, issuer }) => {
    const auth_time = Math.floor(Date.now() / 1_000) - 600;
    const token = await issuer.sign({ ...CLAIMS, level: 'high', auth_time });
    return outcomeOf(await ask('{ vetted }', { authorization: `Bearer ${token}` }));
  };

const expired: LiveRow['see'] = async (world) => {
  const nowS = Math.floor(Date.now() / 1_000);
  return callerOf(world, await world.issuer.sign({ ...CLAIMS, iat: nowS - 900, exp: nowS - 60 }));
};

/** A proof of possession for an address at which the gateway does not listen. */
const proved: LiveRow['see'] = async ({ inside, issuer }) => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const token = await issuer.sign({ ...CLAIMS, cnf: { jkt: await calculateJwkThumbprint(jwk) } });
  const ath = createHash('sha256').update(token).digest('base64url');
  const claims = { jti: randomUUID(), htm: 'POST', htu: 'https://api.example/graphql', ath };
  const proof = await new SignJWT(claims)
    .setIssuedAt()
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
    .sign(privateKey);
  const presented = new PresentedProof({ proof, method: 'POST', url: 'http://127.0.0.1/graphql' });
  const { authenticator } = inside().configuration.services;
  try {
    await authenticator.authenticate(`DPoP ${token}`, presented);
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
};

/** How often keys are fetched for a token whose key is unknown, more than a second after they were last. */
const keyFetches: LiveRow['see'] = async (world) => {
  const token = await world.issuer.sign(CLAIMS, { header: { kid: 'unknown' } });
  await callerOf(world, token);
  await pause(1_100);
  const before = world.issuer.fetches();
  await callerOf(world, token);
  return world.issuer.fetches() - before;
};

/** Bytes that stand for a certificate: a thumbprint is all that is read of it. */
const CERTIFICATE = Buffer.from('a certificate, as DER '.repeat(8));
const CERTIFICATE_AS: Readonly<Record<'x-cert' | 'x-other-cert', string>> = {
  'x-cert': CERTIFICATE.toString('base64'),
  'x-other-cert': CERTIFICATE.toString('base64'),
};

/** Whether a token that is bound to a certificate is taken with one header, and with another. */
const bound: LiveRow['see'] = async ({ ask, issuer }) => {
  const thumbprint = createHash('sha256').update(CERTIFICATE).digest('base64url');
  const token = await issuer.sign({ ...CLAIMS, cnf: { 'x5t#S256': thumbprint } });
  const outcomes: string[] = [];
  for (const [name, value] of Object.entries(CERTIFICATE_AS))
    outcomes.push(outcomeOf(await ask('{ open }', { authorization: `Bearer ${token}`, [name]: value })));
  return outcomes;
};

function certificateRows(issuers: object): LiveRows {
  const beside = (clientCertificate: object): object => ({
    authentication: { ...(issuers as { authentication: object }).authentication, clientCertificate },
    http: { trustProxy: ['127.0.0.1'] },
  });
  return {
    header: { beside: beside({ format: 'base64' }), from: 'X-Cert', to: 'x-other-cert', see: bound },
    format: { beside: beside({ header: 'x-cert' }), from: 'base64', to: 'rfc9440', see: bound },
  };
}

const CACHED_AFTER_MS = 60;

/** Of the responses that are stored. */
function responseCacheRows(redisUrl: string, first: object): LiveRows {
  const inDatabase = (index: number): string => `${redisUrl}/${index}`;
  const stored = async (
    { redis, ask }: ReloadWorld,
    read: (keys: string[]) => Promise<unknown>,
  ): Promise<unknown> => {
    await forget(redis);
    await ask('{ counted }');
    await ask('{ counted again: counted }'); // what one caller has stored may leave nothing for more
    await pause(CACHED_AFTER_MS);
    return read(await redis.keys('response-cache:1:*'));
  };
  const howMany: LiveRow['see'] = (world) => stored(world, async (keys) => keys.length);
  const beside = { responseCache: {} };
  return {
    'responseCache.redisUrl': { from: redisUrl, to: inDatabase(1), see: howMany },
    'responseCache.maxAgeS': {
      beside,
      to: 30,
      see: (world) => stored(world, async ([key = '']) => (await world.redis.ttl(key)) > 60),
    },
    'responseCache.maxCharacters': { beside, to: 1, see: howMany },
    'responseCache.perCallerMinute': { beside, to: 1, see: howMany },
    'responseCache.sharePublic': {
      beside: { ...beside, authentication: { issuers: [first] } },
      to: true,
      see: async ({ redis, gateway, issuer }) => {
        await forget(redis);
        const numbers = [];
        for (const sub of ['ada', 'ben']) {
          const authorization = `Bearer ${await issuer.sign({ ...CLAIMS, sub })}`;
          numbers.push(
            (await gateway.post({ query: '{ counted }' }, { authorization })).body.data?.['counted'],
          );
          await pause(CACHED_AFTER_MS);
        }
        return numbers[0] === numbers[1];
      },
    },
  };
}

async function forget(redis: ReloadWorld['redis']): Promise<void> {
  const keys = await redis.keys('response-cache:1:*');
  if (keys.length > 0) await redis.del(...keys);
}
