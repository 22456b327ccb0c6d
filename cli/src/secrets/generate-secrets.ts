import { randomBytes, randomUUID } from 'node:crypto';
import { generateServiceKey, publicServiceKey } from '@trellis/subgraph-protocol';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** Fresh values for every secret that docker-compose.yml asks for, safe to stand in a URL and between single quotes. */
export async function generateSecrets(): Promise<Readonly<Record<string, string>>> {
  return {
    ...generatePasswords(),
    KEY_ENCRYPTION_SECRET: randomSecret(),
    COOKIE_SECRET: randomSecret(),
    OPERATIONS_SECRET: randomSecret(),
    USER_CONTEXT_PRIVATE_KEY: JSON.stringify(await generatePrivateKey()),
    ...(await generateServiceKeys()),
  };
}

/** The passwords of those who run the stores, and of each service's user there. */
const passwords = [
  'POSTGRES_PASSWORD',
  'AUTH_DATABASE_PASSWORD',
  'USERS_DATABASE_PASSWORD',
  'POSTS_DATABASE_PASSWORD',
  'COMMENTS_DATABASE_PASSWORD',
  'SEARCH_DATABASE_PASSWORD',
  'REDIS_PASSWORD',
  'AUTH_REDIS_PASSWORD',
  'GATEWAY_REDIS_PASSWORD',
  'USERS_REDIS_PASSWORD',
  'POSTS_REDIS_PASSWORD',
  'COMMENTS_REDIS_PASSWORD',
  'SEARCH_REDIS_PASSWORD',
  'CACHE_REDIS_PASSWORD',
  'GATEWAY_CACHE_REDIS_PASSWORD',
] as const;

function generatePasswords(): Record<string, string> {
  return Object.fromEntries(passwords.map((name) => [name, randomSecret()]));
}

/** Each service's own key, and the set by which they know one another. */
async function generateServiceKeys(): Promise<Record<string, string>> {
  const keys = await Promise.all(['users', 'posts', 'comments', 'search'].map(generateServiceKey));
  const named = keys.map((key) => [
    `${String(key.kid).toUpperCase()}_SERVICE_PRIVATE_KEY`,
    JSON.stringify(key),
  ]);
  return { ...Object.fromEntries(named), SERVICE_JWKS: JSON.stringify({ keys: keys.map(publicServiceKey) }) };
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** An EC P-256 key as a private JWK, with which a gateway signs the context that it sends to subgraphs. */
async function generatePrivateKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: randomUUID() };
}
