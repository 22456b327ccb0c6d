import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@trellis/runtime';
import { describe, expect, it } from 'vitest';
import { readAuthServerConfig } from './config.ts';

const random = (): string => randomBytes(32).toString('base64url');
const GOOD = {
  DATABASE_URL: 'postgres://localhost/x',
  REDIS_URL: 'redis://localhost',
  KEY_ENCRYPTION_SECRET: random(),
  COOKIE_SECRET: random(),
};

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readAuthServerConfig({ ...GOOD, ...environment });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('configuration', () => {
  it('has defaults for development', () => {
    const config = readAuthServerConfig(GOOD);
    expect(config).toMatchObject({
      PORT: 4001,
      ACCESS_TOKEN_TTL_S: 900,
      CODE_TTL_S: 600,
    });
    expect(config.AUDIENCES).toEqual(['http://localhost:4000/graphql']);
  });

  it('A-001 wants an https issuer, except on a loopback address', () => {
    expect(problemsOf({ ISSUER: 'http://auth.example' })).toEqual([expect.stringContaining('ISSUER')]);
    for (const issuer of ['http://localhost:4001', 'http://127.0.0.1:1', 'http://[::1]:1']) {
      expect(problemsOf({ ISSUER: issuer })).toEqual([]);
    }
    expect(problemsOf({ ISSUER: 'http://localhost.evil.example' })).toHaveLength(1);
    expect(problemsOf({ ISSUER: 'https://auth.example' })).toEqual([
      expect.stringContaining('TLS_CERT_FILE'),
    ]);
    expect(problemsOf({ ISSUER: 'https://auth.example', TRUSTED_PROXIES: '10.0.0.0/8' })).toEqual([]);
  });

  it('rejects in production what is for development', () => {
    const missing = { KEY_ENCRYPTION_SECRET: '', COOKIE_SECRET: '' };
    const problems = problemsOf({ NODE_ENV: 'production', DEMO_DATA: 'true', ...missing });
    for (const name of ['DEMO_DATA', 'ISSUER', 'KEY_ENCRYPTION_SECRET', 'COOKIE_SECRET']) {
      expect(
        problems.some((problem) => problem.startsWith(name)),
        name,
      ).toBe(true);
    }
    expect(problemsOf({ NODE_ENV: 'production', ISSUER: 'http://localhost:1' })).toEqual([]);
  });

  it('takes the name of a header for client certificates, in any case', () => {
    const named = (name: string): readonly string[] =>
      problemsOf({ CLIENT_CERTIFICATE_HEADER: name, TRUSTED_PROXIES: '10.0.0.0/8' });
    expect(named('X-Client.Cert')).toEqual([]);
    for (const name of ['client cert', 'client:cert', 'cert\u00e9'])
      expect(named(name)).toEqual(['CLIENT_CERTIFICATE_HEADER: is no name of a header.']);
  });

  it('takes hosts and ports of gateways, 20 at most', () => {
    expect(problemsOf({ GATEWAY_OPERATIONS_URLS: 'eu=http://10.0.0.5:9464 us=https://us.example' })).toEqual(
      [],
    );
    for (const address of [
      'http://a:b@10.0.0.5',
      'http://10.0.0.5/gateway',
      'http://10.0.0.5?a',
      'http://10.0.0.5#a',
    ])
      expect(problemsOf({ GATEWAY_OPERATIONS_URLS: `eu=${address}` })).toEqual([
        'GATEWAY_OPERATIONS_URLS: eu must be a host and a port alone.',
      ]);
    const many = Array.from({ length: 21 }, (_, index) => `g${index}=http://10.0.0.5`).join(' ');
    expect(problemsOf({ GATEWAY_OPERATIONS_URLS: many })).toEqual([
      'GATEWAY_OPERATIONS_URLS: 20 gateways at most.',
    ]);
    expect(problemsOf({ GATEWAY_OPERATIONS_URLS: 'http://10.0.0.5' })).toHaveLength(1);
  });

  it.each(['smtp:', 'smtps:', 'ftp://mail.example', 'http://mail.example/hook'])(
    'rejects MAIL_URL=%s, by which no message can be sent safely',
    (MAIL_URL) => {
      expect(problemsOf({ MAIL_URL, MAIL_FROM: 'a@auth.example' })).toContainEqual(
        expect.stringMatching(/^MAIL_URL: must be log:, or/),
      );
    },
  );

  it('lets replicas be waited for behind Sentinel, and not in a cluster', () => {
    const withReplicas = (REDIS_URL: string): readonly string[] =>
      problemsOf({ REDIS_REPLICAS: '1', REDIS_URL });
    expect(withReplicas('redis+sentinel://a,b,c/main')).toEqual([]);
    for (const cluster of ['redis+cluster://a', 'redis://a,redis://b'])
      expect(withReplicas(cluster)).toEqual(['REDIS_REPLICAS: is not possible with a cluster.']);
    expect(withReplicas('redis+sentinel://a,b')).toEqual([expect.stringContaining('master-name')]);
  });

  it.each(['auth:*', 'auth:accounts:*'])(
    'takes no pattern that stands for administration: %s',
    (API_SCOPES) => {
      expect(problemsOf({ API_SCOPES })).toEqual([
        `API_SCOPES: ${API_SCOPES} is not possible as a scope of an API.`,
      ]);
      expect(problemsOf({ API_SCOPES: 'graph:publish:*' })).toEqual([]);
    },
  );

  it('reports all contradictions at once', () => {
    const problems = problemsOf({
      ISSUER: 'http://auth.example/',
      AUDIENCES: 'not-a-uri',
      API_SCOPES: 'openid',
      REFRESH_TOKEN_IDLE_TTL_S: '100',
      REFRESH_TOKEN_TTL_S: '10',
      TLS_CERT_FILE: '/x',
      CLIENTS_FILE: '/no/such/file',
    });
    expect(problems.length).toBeGreaterThanOrEqual(7);
  });

  it('reports everything that is wrong with the clients file', () => {
    const directory = mkdtempSync(join(tmpdir(), 'clients-'));
    const file = join(directory, 'clients.json');
    const clients = [
      { client_id: 'a', redirect_uris: ['http://app.example/cb', 'https://app.example/*'] },
      { client_id: 'b', token_endpoint_auth_method: 'none', grant_types: ['client_credentials'] },
      {
        client_id: 'c',
        redirect_uris: ['https://app.example/cb'],
        token_endpoint_auth_method: 'private_key_jwt',
      },
      { client_id: 'd', redirect_uris: ['https://app.example/cb'], scope: 'unknown' },
      { client_id: 'e', redirect_uris: ['https://app.example/cb'], grant_types: ['password'] },
      { client_id: 'f', redirect_uris: ['https://app.example/cb'], jwks_uri: 'http://169.254.169.254/' },
      { client_id: 'f2', redirect_uris: [] },
      { client_id: 'g', redirect_uris: ['https://app.example/cb'] },
      { client_id: 'g', redirect_uris: ['https://app.example/cb'] },
    ];
    writeFileSync(file, JSON.stringify(clients));
    const problems = problemsOf({ CLIENTS_FILE: file });
    rmSync(directory, { recursive: true });
    for (const index of [1, 2, 3, 4, 5, 6, 7]) {
      expect(
        problems.some((problem) => problem.startsWith(`CLIENTS_FILE: client ${index}:`)),
        String(index),
      ).toBe(true);
    }
    expect(problems.some((problem) => problem.includes('g is declared more than once'))).toBe(true);
    expect(problems.filter((problem) => problem.startsWith('CLIENTS_FILE: client 1:'))).toHaveLength(2);
  });
});
