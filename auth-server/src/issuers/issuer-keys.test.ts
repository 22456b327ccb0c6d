import { jwtVerify, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAddressGuard, PRIVATE_NETWORKS } from '../outbound/address-guard.ts';
import {
  createClientKey,
  startKeySetServer,
  type ClientKey,
  type KeySetServer,
} from '../testing/key-set-server.ts';
import { createIssuerKeys } from './issuer-keys.ts';
import type { TrustedIssuer } from './trusted-issuer.ts';

const NOW = 1_900_000_000_000;

let server: KeySetServer;
let key: ClientKey;
let issuer: string;
beforeAll(async () => {
  key = await createClientKey('one');
  server = await startKeySetServer([key.publicJwk]);
  issuer = new URL(server.uri).origin;
});
afterAll(() => server.close());

/** Whether a signature is good by the keys of the issuer, or why not. */
async function judge(changes: Partial<TrustedIssuer>, loopback: boolean): Promise<string> {
  const declared: TrustedIssuer = {
    issuer,
    algorithms: ['ES256'],
    uses: ['assertion'],
    audiences: [],
    clients: [],
    scopes: [],
    subjects: 'linked',
    ...changes,
  };
  const find = createIssuerKeys(declared, {
    guard: createAddressGuard({ loopback, networks: PRIVATE_NETWORKS }),
    loopback,
    clock: () => NOW,
    signal: new AbortController().signal,
    onFetched: () => undefined,
  });
  const { kid = '', alg = '' } = key.publicJwk;
  const token = await new SignJWT({}).setProtectedHeader({ alg, kid }).sign(key.privateKey);
  return jwtVerify(token, find).then(
    () => 'good',
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : 'no error'),
  );
}

describe('A-230: the keys of a trusted issuer', () => {
  it('come from this machine in development, and by no way in production', async () => {
    expect(await judge({ jwks_uri: server.uri }, true)).toBe('good');
    const before = server.requests;
    for (const jwks_uri of [server.uri, server.uri.replace('127.0.0.1', 'localhost')])
      expect(await judge({ jwks_uri }, false)).toContain('to which no requests may be sent');
    expect(server.requests).toBe(before);
  });

  it.each(['https://169.254.169.254/keys', 'https://[fe80::1]/keys', 'https://0.0.0.0/keys'])(
    'are not asked for at %s, though an operator may name private addresses',
    async (address) => {
      expect(await judge({ jwks_uri: address }, true)).toContain('to which no requests may be sent');
      server.respond((response) => void response.end(JSON.stringify({ issuer, jwks_uri: address })));
      expect(await judge({}, true)).toContain('to which no requests may be sent');
    },
  );

  it.each([
    ['is no JSON', '<html>', 'not valid JSON'],
    ['is of another issuer', '{"issuer":"https://evil.example"}', 'are of another issuer'],
    ['names no address', '{"issuer":"ISSUER"}', 'no jwks_uri that can be fetched'],
    [
      'names a file',
      '{"issuer":"ISSUER","jwks_uri":"file:///etc/passwd"}',
      'no jwks_uri that can be fetched',
    ],
    [
      'names http elsewhere',
      '{"issuer":"ISSUER","jwks_uri":"http://a.example"}',
      'no jwks_uri that can be fetched',
    ],
    ['has more than 256 KB', `{"issuer":"${'x'.repeat(262_144)}"}`, 'has more than 262144 bytes'],
  ])('are not found by metadata that %s', async (_what, metadata, problem) => {
    server.respond((response) => void response.end(metadata.replace('ISSUER', issuer)));
    const verdict = await judge({}, true);
    expect(verdict).toContain(problem);
    expect(verdict).toMatch(/^KeysUnavailable: The key set is unavailable\./);
  });
});
