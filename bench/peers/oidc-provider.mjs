// node-oidc-provider on Redis, set up to do the same work as ours: codes with PKCE, JWT access tokens in ES256 for one API,
// id_tokens, refresh tokens that rotate, and accounts in PostgreSQL, of which both read one row a request.
// Argument 1: the port; 2: the URL of Redis; 3: the URL of PostgreSQL.
// POST /seed?kind=code|refresh&client=…&count=N answers N codes, or refresh tokens, made by its own models.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { Redis } from 'ioredis';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import pg from 'pg';

const [, , port, redisUrl, postgresUrl] = process.argv;
const issuer = `http://127.0.0.1:${port}`;
const RESOURCE = 'https://api.example/graphql';
const SCOPE = 'openid read:data';
const pool = new pg.Pool({ connectionString: postgresUrl });
const someone = (await pool.query('SELECT id FROM auth.account LIMIT 1')).rows[0].id;
const redis = new Redis(redisUrl, { keyPrefix: 'peer:' });

/** One string a model, found by its id, by grant, by uid and by user code, as the library's interface wants it. */
class RedisAdapter {
  constructor(name) {
    this.name = name;
  }
  key(id) {
    return `${this.name}:${id}`;
  }
  async upsert(id, payload, expiresIn) {
    const batch = redis.multi();
    const key = this.key(id);
    const expire = expiresIn ? ['EX', expiresIn] : [];
    batch.set(key, JSON.stringify(payload), ...expire);
    if (payload.grantId && this.name !== 'Grant') {
      batch.rpush(`grant:${payload.grantId}`, key);
      if (expiresIn) batch.expire(`grant:${payload.grantId}`, expiresIn);
    }
    if (payload.uid) batch.set(`uid:${payload.uid}`, id, ...expire);
    await batch.exec();
  }
  async find(id) {
    const text = await redis.get(this.key(id));
    return text ? JSON.parse(text) : undefined;
  }
  async findByUid(uid) {
    const id = await redis.get(`uid:${uid}`);
    return id ? this.find(id) : undefined;
  }
  async findByUserCode() {
    return undefined;
  }
  async destroy(id) {
    await redis.del(this.key(id));
  }
  async revokeByGrantId(grantId) {
    const keys = await redis.lrange(`grant:${grantId}`, 0, -1);
    await redis.del(...keys, `grant:${grantId}`);
  }
  async consume(id) {
    const payload = await this.find(id);
    if (payload)
      await redis.set(
        this.key(id),
        JSON.stringify({ ...payload, consumed: Math.floor(Date.now() / 1000) }),
        'KEEPTTL',
      );
  }
}

async function signingKey(algorithm) {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: algorithm, use: 'sig', kid: algorithm };
}

const client = (id, algorithm) => ({
  client_id: id,
  token_endpoint_auth_method: 'none',
  redirect_uris: ['https://app.example/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  id_token_signed_response_alg: algorithm,
});
const provider = new Provider(issuer, {
  adapter: RedisAdapter,
  clients: [client('ES256', 'ES256'), client('RS256', 'RS256')],
  jwks: { keys: [await signingKey('ES256'), await signingKey('RS256')] },
  cookies: { keys: ['a key of the benchmark'] },
  scopes: ['openid', 'offline_access', 'read:data'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  findAccount: async (_context, id) => {
    const text = 'SELECT id, email, name, role, disabled_at FROM auth.account WHERE id = $1';
    const { rows } = await pool.query({ name: 'account', text, values: [id] });
    return rows[0] && { accountId: id, claims: async () => ({ sub: id }) };
  },
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => RESOURCE,
      useGrantedResource: async () => true,
      getResourceServerInfo: async () => ({
        scope: 'read:data',
        audience: RESOURCE,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 900,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  ttl: { AuthorizationCode: 600, RefreshToken: 86_400, Grant: 86_400, IdToken: 900 },
});
provider.proxy = false;

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

async function seedOne(kind, clientId) {
  const found = await provider.Client.find(clientId);
  const grant = new provider.Grant({ accountId: someone, clientId });
  grant.addOIDCScope(SCOPE);
  grant.addResourceScope(RESOURCE, 'read:data');
  const grantId = await grant.save();
  const common = {
    accountId: someone,
    client: found,
    grantId,
    scope: SCOPE,
    resource: RESOURCE,
    authTime: Math.floor(Date.now() / 1000),
    gty: 'authorization_code',
  };
  if (kind === 'refresh')
    return new provider.RefreshToken({ ...common, rotations: 0, iiat: Math.floor(Date.now() / 1000) }).save();
  return new provider.AuthorizationCode({
    ...common,
    redirectUri: 'https://app.example/callback',
    codeChallenge: CHALLENGE,
    codeChallengeMethod: 'S256',
  }).save();
}

const callback = provider.callback();
createServer((request, response) => {
  const url = new URL(request.url, issuer);
  if (url.pathname === '/seed') void seed(url.searchParams, response);
  else callback(request, response);
}).listen(Number(port), '127.0.0.1');

async function seed(parameters, response) {
  const { kind, client: clientId, count } = Object.fromEntries(parameters);
  try {
    const seeds = await Promise.all(Array.from({ length: Number(count) }, () => seedOne(kind, clientId)));
    response.end(JSON.stringify(seeds));
  } catch (error) {
    response.writeHead(500).end(error instanceof Error ? error.stack : String(error));
  }
}
