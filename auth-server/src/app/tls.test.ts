import { copyFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TLSSocket } from 'node:tls';
import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAuthServerConfig } from './config.ts';
import { authorizationUrl, createPkce } from '../testing/flow.ts';
import { signInFrom } from '../testing/sign-in-from.ts';
import { startTestAuthServer, type TestAuthServer } from '../testing/test-auth-server.ts';

const certificates = fileURLToPath(new URL('../testing/certificates', import.meta.url));
let directory: TemporaryDirectory;
let server: TestAuthServer;
const file = (name: string): string => join(directory.path, name);

function install(name: string): void {
  copyFileSync(join(certificates, `${name}.key.pem`), file('key.pem'));
  copyFileSync(join(certificates, `${name}.cert.pem`), file('cert.pem'));
}

beforeAll(async () => {
  directory = createTemporaryDirectory();
  install('first');
  server = await startTestAuthServer({ TLS_CERT_FILE: file('cert.pem'), TLS_KEY_FILE: file('key.pem') });
});
afterAll(async () => {
  await server.stop();
  directory.remove();
});

interface TlsResponse {
  readonly subject: string;
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
}

function get(url: string): Promise<TlsResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { rejectUnauthorized: false, agent: false }, (response) => {
      const { subject } = (response.socket as TLSSocket).getPeerCertificate();
      response.resume();
      resolve({ subject: String(subject.CN), status: response.statusCode, headers: response.headers });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('A-001: native TLS', () => {
  it('A-001 A-079 serves https, with HSTS and cookies that are Secure and of this host alone', async () => {
    const result = await get(authorizationUrl(server.issuer, createPkce()));
    expect(result.status).toBe(303);
    expect(result.headers['strict-transport-security']).toMatch(/^max-age=\d+/);
    const [cookie = ''] = result.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-trellis-browser=/);
    for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/'])
      expect(cookie).toContain(attribute);
    expect(cookie).not.toContain('Domain');
  });

  it('puts a new certificate to use without a restart, and keeps the old one while the files do not fit', async () => {
    const subject = async (): Promise<string> => (await get(`${server.issuer}/jwks.json`)).subject;
    expect(await subject()).toBe('first.test');
    copyFileSync(join(certificates, 'second.key.pem'), file('key.pem'));
    await expect.poll(() => server.log.some((line) => line.includes('certificate reload failed'))).toBe(true);
    expect(await subject()).toBe('first.test');
    install('second');
    await expect.poll(subject).toBe('second.test');
  });

  it('does not start with a key of another certificate', () => {
    const environment = {
      ...server.environment,
      TLS_CERT_FILE: join(certificates, 'first.cert.pem'),
      TLS_KEY_FILE: join(certificates, 'second.key.pem'),
    };
    expect(() => readAuthServerConfig(environment)).toThrow('TLS_CERT_FILE');
  });
});

describe('A-001: TLS that ends at a proxy', () => {
  it('A-001 A-088 trusts forwarding headers of the proxy alone', async () => {
    for (const [trusted, throttled] of [
      ['127.0.0.1', false],
      ['192.0.2.1', true],
    ] as const) {
      const behind = await startTestAuthServer({
        ISSUER: 'https://auth.example',
        DEMO_DATA: 'false',
        TRUSTED_PROXIES: trusted,
        SIGN_IN_FAILURES_PER_ADDRESS: '1',
      });
      expect(await signInFrom(behind, '198.51.100.1')).toBe(403);
      expect(await signInFrom(behind, '198.51.100.2')).toBe(throttled ? 429 : 403);
      await behind.stop();
    }
  });
});
