import type { Environment } from '@trellis/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Prefix } from '../programs.ts';
import { readPlatformConfig } from './platform-config.ts';
import { makeSecrets, type PlatformSecrets } from './secrets.ts';
import { describeEnvironments } from './service-environments.ts';

let secrets: PlatformSecrets;

beforeAll(async () => {
  secrets = await makeSecrets();
});

describe('describeEnvironments', () => {
  it('gives every service its own database, and the gateway none', () => {
    const environments = derive({});
    expect(environments.POSTS['DATABASE_URL']).toBe('postgres://posts');
    expect(environments.USERS['DATABASE_URL']).toBe('postgres://users');
    expect(environments.GATEWAY['DATABASE_URL']).toBeUndefined();
  });

  it('lets the gateway expect the tokens that the auth-server writes', () => {
    const { AUTH, GATEWAY } = derive({});
    expect(GATEWAY['TOKEN_ISSUER']).toBe(AUTH['ISSUER']);
    expect(GATEWAY['TOKEN_AUDIENCE']).toBe(AUTH['AUDIENCES']);
    const given = derive({ AUTH_ISSUER: 'https://id.example.com', AUDIENCES: ' a  b ' });
    expect(given.GATEWAY).toMatchObject({ TOKEN_ISSUER: 'https://id.example.com', TOKEN_AUDIENCE: 'a' });
  });

  it('gives subgraphs the public half of the key that the gateway signs with', () => {
    const { GATEWAY, USERS } = derive({});
    const signing = JSON.parse(GATEWAY['USER_CONTEXT_PRIVATE_KEY'] ?? '') as Record<string, string>;
    const [known] = keysOf(USERS);
    expect(known).toEqual({ ...signing, d: undefined });
    expect(USERS['USER_CONTEXT_JWKS']).not.toContain(signing['d']);
  });

  it('follows a signing key that is given', async () => {
    const other = (await makeSecrets()).userContextKey;
    const { USERS } = derive({ USER_CONTEXT_PRIVATE_KEY: JSON.stringify(other) });
    expect(keysOf(USERS)[0]).toMatchObject({ kid: other.kid, x: other.x });
    expect(USERS['USER_CONTEXT_JWKS']).not.toContain(other.d);
  });

  it('derives no key set from an invalid key; the gateway reports what is wrong with it', () => {
    const { USERS } = derive({ USER_CONTEXT_PRIVATE_KEY: 'none' });
    expect(keysOf(USERS)[0]).toMatchObject({ kid: secrets.userContextKey.kid });
  });

  it('lets each subgraph sign with a key of its own, whose public half the others know', () => {
    const { USERS, POSTS, COMMENTS, SEARCH } = derive({});
    const privateKeys = [USERS, POSTS, COMMENTS, SEARCH].map((one) => one['SERVICE_PRIVATE_KEY'] ?? '');
    const kids = privateKeys.map((key) => (JSON.parse(key) as { kid: string }).kid);
    expect(kids).toEqual(['users', 'posts', 'comments', 'search']);
    for (const { SERVICE_JWKS: known = '' } of [USERS, POSTS, COMMENTS, SEARCH]) {
      expect((JSON.parse(known) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)).toEqual(kids);
      expect(known).not.toContain('"d"');
    }
    expect(COMMENTS['POSTS_URL']).toBe('http://127.0.0.1:3');
  });

  it('reaches subgraphs where they listen', () => {
    expect(derive({}).GATEWAY['SUBGRAPH_URLS']).toBe(
      'users=http://127.0.0.1:2/graphql posts=http://127.0.0.1:3/graphql comments=http://127.0.0.1:4/graphql search=http://127.0.0.1:6/graphql',
    );
    const { GATEWAY } = derive({ HOST: '0.0.0.0', USERS_HOST: '::', POSTS_HOST: 'fd00::1' });
    expect(GATEWAY['SUBGRAPH_URLS']).toBe(
      'users=http://[::1]:2/graphql posts=http://[fd00::1]:3/graphql comments=http://127.0.0.1:4/graphql search=http://127.0.0.1:6/graphql',
    );
  });

  it('lets what the user has set win, but not the plain PORT, nor what is empty', () => {
    const { USERS, POSTS } = derive({
      PORT: '80',
      DATABASE_URL: 'postgres://mine',
      POSTS_DATABASE_URL: 'postgres://posts-of-mine',
      USER_CONTEXT_JWKS: '',
    });
    expect(USERS).toMatchObject({ DATABASE_URL: 'postgres://mine', USERS_PORT: '2' });
    expect(USERS['PORT']).toBeUndefined();
    expect(USERS['USER_CONTEXT_JWKS']).toContain('"kid"');
    expect(POSTS['POSTS_DATABASE_URL']).toBe('postgres://posts-of-mine');
  });

  it('sends demo clients back to where their pages are served', () => {
    const { AUTH } = derive({});
    expect([AUTH['DEMO_WEB_ORIGIN'], AUTH['DEMO_EXPLORER_ORIGIN']]).toEqual([
      'http://localhost:7',
      'http://localhost:5',
    ]);
  });

  it('links landing page, explorer and the page of errors to the documentation site', () => {
    const { GATEWAY, AUTH } = derive({});
    expect(GATEWAY['PAGE_LINKS']).toBe(
      'Sample_application=http://localhost:7 Documentation=http://localhost:8',
    );
    for (const environment of [GATEWAY, AUTH])
      expect(environment['ERROR_REFERENCE']).toBe('http://localhost:8/errors.html');
    const inProduction = derive({ NODE_ENV: 'production' });
    expect([inProduction.GATEWAY['PAGE_LINKS'], inProduction.AUTH['ERROR_REFERENCE']]).toEqual([
      '',
      undefined,
    ]);
  });

  it('brings demo data and made secrets in development alone', () => {
    expect(derive({}).AUTH).toMatchObject({ DEMO_DATA: 'true', COOKIE_SECRET: secrets.cookieSecret });
    const { AUTH, USERS } = derive({ NODE_ENV: 'production' });
    expect([AUTH['DEMO_DATA'], USERS['DEMO_DATA']]).toEqual(['false', undefined]);
    for (const name of ['ISSUER', 'COOKIE_SECRET', 'KEY_ENCRYPTION_SECRET'])
      expect(AUTH[name]).toBeUndefined();
  });
});

function derive(environment: Environment): Readonly<Record<Prefix, Environment>> {
  return describeEnvironments({
    config: readPlatformConfig(environment),
    environment,
    secrets,
    stores: {
      databaseUrls: { USERS: 'postgres://users', POSTS: 'postgres://posts', AUTH: 'postgres://auth' },
      redisUrl: 'redis://r',
    },
    ports: { AUTH: 1, USERS: 2, POSTS: 3, COMMENTS: 4, SEARCH: 6, GATEWAY: 5, WEB: 7, DOCS: 8 },
    supergraphFile: '/supergraph.graphql',
  });
}

function keysOf(environment: Environment): Record<string, string>[] {
  return (JSON.parse(environment['USER_CONTEXT_JWKS'] ?? '') as { keys: Record<string, string>[] }).keys;
}
