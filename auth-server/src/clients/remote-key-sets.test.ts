import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify, SignJWT, type JWTVerifyGetKey } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../outbound/address-guard.ts';
import {
  createClientKey,
  startKeySetServer,
  type ClientKey,
  type KeySetServer,
} from '../testing/key-set-server.ts';
import { createRemoteKeySets, type RemoteKeySets } from './remote-key-sets.ts';

const MINUTE_MS = 60_000;

let first: ClientKey;
let second: ClientKey;
beforeAll(async () => {
  [first, second] = await Promise.all([createClientKey('first'), createClientKey('second')]);
});

let server: KeySetServer;
let sets: RemoteKeySets;
let now: number;
let problems: (string | undefined)[];
beforeEach(async () => {
  now = 1_900_000_000_000;
  problems = [];
  server = await startKeySetServer([first.publicJwk]);
  sets = createRemoteKeySets({
    guard: createAddressGuard({ loopback: true, networks: [] }),
    clock: () => now,
    onFetched: (_uri, problem) => void problems.push(problem),
  });
});
afterEach(async () => {
  sets.close();
  await server.close();
});

/** Whether a signature is good by the set, or why not. */
async function judge(
  { privateKey, publicJwk }: ClientKey,
  keys: JWTVerifyGetKey = sets.at(server.uri).find,
): Promise<string> {
  const { kid = '', alg = '' } = publicJwk;
  const token = await new SignJWT({}).setProtectedHeader({ alg, kid }).sign(privateKey);
  try {
    await jwtVerify(token, keys);
    return 'good';
  } catch (error) {
    return error instanceof Error ? error.message : 'no error';
  }
}

describe('G6: a key set at a jwks_uri', () => {
  it('is fetched once for all that is signed at the same time, and then for five minutes not', async () => {
    const together = await Promise.all(Array.from({ length: 20 }, () => judge(first)));
    expect(new Set(together)).toEqual(new Set(['good']));
    now += 5 * MINUTE_MS - 1;
    expect([await judge(first), server.requests]).toEqual(['good', 1]);
    now += 1;
    expect([await judge(first), server.requests]).toEqual(['good', 2]);
  });

  it('is fetched again for a key that it lacks, at most once in ten seconds', async () => {
    await judge(first);
    now += 10_000;
    server.publish([first.publicJwk, second.publicJwk]);
    expect([await judge(second), server.requests]).toEqual(['good', 2]);
    const unknown = await createClientKey('unknown');
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(await judge(unknown)).toContain('no applicable key');
    expect(server.requests).toBe(2);
    now += 10_000;
    await Promise.all(Array.from({ length: 20 }, () => judge(unknown)));
    expect(server.requests).toBe(3);
  });

  it('no longer has a key that was removed, five minutes later at most', async () => {
    await judge(first);
    server.publish([second.publicJwk]);
    now += 5 * MINUTE_MS;
    expect(await judge(first)).toContain('no applicable key');
  });

  it('is used for an hour while its address does not respond', async () => {
    await judge(first);
    server.respond((response) => void response.writeHead(503).end());
    now += 59 * MINUTE_MS;
    expect(await judge(first)).toBe('good');
    now += MINUTE_MS;
    expect(await judge(first)).toBe('The key set is unavailable. The status is 503.');
    expect(problems).toEqual([undefined, 'The status is 503.', 'The status is 503.']);
  });

  it('that could not be fetched is asked for again ten seconds later', async () => {
    server.respond((response) => void response.writeHead(500).end());
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(await judge(first)).toBe('The key set is unavailable. The status is 500.');
    expect(server.requests).toBe(1);
    server.publish([first.publicJwk]);
    now += 10_000;
    expect(await judge(first)).toBe('good');
  });

  it.each<[string, object, string]>([
    ['a symmetric key', { kty: 'oct', k: 'AAAA', kid: 'first' }, 'no key of'],
    ['a private key', { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', d: 'AA', kid: 'first' }, 'no key of'],
    [
      'an RSA key of 8,192 bits',
      { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(1_024, 255).toString('base64url'), kid: 'first' },
      'no key of',
    ],
    [
      'an RSA key with another exponent',
      generateKeyPairSync('rsa', { modulusLength: 2_048, publicExponent: 3 }).publicKey.export({
        format: 'jwk',
      }),
      'no key of',
    ],
  ])('does without %s', async (_what, key, problem) => {
    server.publish([key]);
    expect(await judge(first)).toContain(problem);
    server.publish([key, first.publicJwk]);
    now += 10_000;
    expect(await judge(first)).toBe('good');
  });

  const many = Array.from({ length: 51 }, (_, index) => ({ kty: 'EC', kid: String(index) }));
  it.each<[string, string, string]>([
    ['has more than 64 KB', `{"keys":[${'1,'.repeat(40_000)}1]}`, 'has more than 65536 bytes'],
    ['has more than 50 keys', JSON.stringify({ keys: many }), 'more than 50 keys'],
    ['is no JSON', '<html>', 'not valid JSON'],
    ['is no set', '[]', 'no JSON Web Key Set'],
    ['is null', 'null', 'no JSON Web Key Set'],
    ['has no list', '{"keys":{"0":1}}', 'no JSON Web Key Set'],
    ['is empty', '{"keys":[]}', 'no key of'],
    ['has members that are no keys', '{"keys":[null,1,"x",[]]}', 'no key of'],
  ])('that %s is none', async (_what, body, problem) => {
    server.respond((response) => void response.end(body));
    expect(await judge(first)).toContain(problem);
  });

  it('is not followed to where a redirect leads', async () => {
    const other = await startKeySetServer([first.publicJwk]);
    server.respond((response) => void response.writeHead(302, { location: other.uri }).end());
    expect(await judge(first)).toBe('The key set is unavailable. The status is 302.');
    expect(other.requests).toBe(0);
    await other.close();
  });

  it('whose body never ends is given up', async () => {
    server.respond((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '.repeat(1_000)), 5);
      response.on('close', () => clearInterval(drip));
    });
    expect(await judge(first)).toContain('has more than 65536 bytes');
  });

  it('that does not come is given up when this server ends', async () => {
    server.respond(() => undefined);
    const judged = judge(first);
    await expect.poll(() => server.requests).toBe(1);
    sets.close();
    expect(await judged).toContain('aborted');
  });

  it.each([
    'http://127.0.0.1:1/keys',
    'http://localhost:1/keys',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://10.0.0.1/',
  ])('at %s is not asked for where loopback and private addresses are closed', async (uri) => {
    const guard = createAddressGuard({ loopback: false, networks: [] });
    const guarded = createRemoteKeySets({ guard, clock: () => now, onFetched: () => undefined });
    expect(await judge(first, guarded.at(uri).find)).toContain('to which no requests may be sent');
  });
});
