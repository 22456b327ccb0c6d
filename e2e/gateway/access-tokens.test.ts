import { createTemporaryDirectory, type TemporaryDirectory } from '@trellis/testkit';
import { generateKeyPair, type JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLibrary, type Library } from '../fixtures/library.ts';
import { askGraph, type GraphResponse } from '../harness/ask-graph.ts';
import { startGateway, type GatewayProcess } from '../harness/gateway-process.ts';
import { goodClaims, signToken, startTokenIssuer, type TokenIssuer } from '../harness/token-issuer.ts';

const AUDIENCE = 'https://library.example.com/graph';

type LibraryResponse = GraphResponse<Readonly<Record<string, unknown>>>;

describe('A gateway with an issuer of others', () => {
  let directory: TemporaryDirectory;
  let library: Library;
  let issuer: TokenIssuer;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    library = await openLibrary(directory.path);
    issuer = await startTokenIssuer(AUDIENCE);
    gateway = await startGateway({
      supergraph: library.supergraph,
      environment: { TOKEN_ISSUER: issuer.issuer, TOKEN_AUDIENCE: AUDIENCE, TOKEN_JWKS_URL: issuer.jwksUrl },
    });
  });

  afterAll(async () => {
    await gateway.stop();
    await Promise.all([library.close(), issuer.close()]);
    directory.remove();
  });

  beforeEach(() => library.catalogue.forget());

  it('accepts a token that is good', async () => {
    expect((await ask('{ borrowed { title } }', await issuer.sign())).data).toEqual({
      borrowed: [{ title: 'The Lantern Maker' }],
    });
  });

  it('rejects every other token, even for what needs none, and asks no subgraph (S-090, A-146)', async () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = goodClaims(issuer.issuer, AUDIENCE);
    const { privateKey: strangeKey } = await generateKeyPair('ES256');
    const publicKeyAsSecret = new TextEncoder().encode(JSON.stringify(issuer.publicKey));
    const good = await issuer.sign();
    const wrong: Readonly<Record<string, string>> = {
      expired: await issuer.sign({ iat: now - 400, exp: now - 100 }),
      'not yet valid': await issuer.sign({ nbf: now + 300 }),
      'issued in the future': await issuer.sign({ iat: now + 300, exp: now + 600 }),
      'for another audience': await issuer.sign({ aud: 'https://other.example.com' }),
      'for an audience that begins alike': await issuer.sign({ aud: `${AUDIENCE}/other` }),
      'for several audiences': await issuer.sign({ aud: [AUDIENCE, 'https://other.example.com'] }),
      'for no audience': await issuer.sign(without('aud')),
      'of another issuer': await issuer.sign({ iss: 'https://evil.example.com' }),
      'of an issuer with a slash more': await issuer.sign({ iss: `${issuer.issuer}/` }),
      'without an expiry': await issuer.sign(without('exp')),
      'an id_token': await issuer.sign({}, { typ: 'JWT' }),
      'without a type': await issuer.sign({}, without('typ')),
      'signed by another key': await signToken(strangeKey, claims),
      'of an unknown key id': await issuer.sign({}, { kid: 'unknown' }),
      'with the public key as a secret': await signToken(publicKeyAsSecret, claims, { alg: 'HS256' }),
      'without an algorithm': `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(claims)}.`,
      'with an unknown critical header': `${encode({ alg: 'ES256', typ: 'at+jwt', kid: 'the-only-key', crit: ['x'], x: 1 })}.${good.split('.').slice(1).join('.')}`,
      'tampered with': `${good.slice(0, -8)}${good.endsWith('AAAAAAAA') ? 'BBBBBBBB' : 'AAAAAAAA'}`,
      'much too long': `${good}${'A'.repeat(10_000)}`,
    };
    for (const [what, token] of Object.entries(wrong)) {
      const response = await ask('{ books { title } borrowed { id } }', token);
      expect([what, response.status, codesOf(response)]).toEqual([what, 401, ['UNAUTHENTICATED']]);
      expect(response.headers.get('www-authenticate'), what).toContain('error="invalid_token"');
    }
    expect(library.catalogue.requests).toEqual([]);
  });

  it('fetches keys from the configured address, and not again for every unknown one (S-065, S-090)', async () => {
    const before = issuer.fetches();
    for (let attempt = 0; attempt < 30; attempt += 1)
      await ask(
        '{ borrowed { id } }',
        await issuer.sign({}, { kid: `unknown-${attempt}`, jku: `${issuer.issuer}/evil` }),
      );
    expect(issuer.fetches() - before).toBeLessThanOrEqual(1);
  });

  it('asks for the scopes of each field: any of the alternatives, whole', async () => {
    const matrix: readonly (readonly [JWTPayload, string, string | undefined])[] = [
      [{ scope: 'money:read' }, 'purchases', undefined],
      [{ scope: 'money:readx money' }, 'purchases', 'FORBIDDEN'],
      [{ scope: '' }, 'purchases', 'FORBIDDEN'],
      [{ scope: 'stock:read' }, 'books { shelf }', undefined],
      [{ scope: 'stock:admin' }, 'books { shelf }', undefined],
      [{ scope: 'money:read' }, 'books { shelf }', 'FORBIDDEN'],
      [{ roles: ['CURATOR'] }, 'archive', undefined],
      [{ roles: ['curator', 'CURATORS'] }, 'archive', 'FORBIDDEN'],
      [{}, 'borrowed { id }', undefined],
    ];
    for (const [claims, field, code] of matrix) {
      const response = await ask(`{ __typename ${field} }`, await issuer.sign(claims));
      expect([claims, field, response.errors?.[0]?.extensions.code]).toEqual([claims, field, code]);
      expect(response.data?.['__typename']).toBe('Query');
    }
  });

  it('asks for them on every way to a field (S-091)', async () => {
    const token = await issuer.sign({ scope: 'money:read' });
    for (const query of [
      '{ books { opinions { book { shelf } } } }',
      '{ books { ...F } } fragment F on Book { place: shelf }',
      '{ book(id: "b1") { ... { shelf } } }',
      'query ($yes: Boolean = true) { books { shelf @include(if: $yes) } }',
    ]) {
      const response = await ask(query, token);
      expect([query, new Set(codesOf(response))]).toEqual([query, new Set(['FORBIDDEN'])]);
      expect(JSON.stringify(response.data)).not.toMatch(/"[AB]"/);
    }
    for (const { query } of library.catalogue.requests) expect(query).not.toContain('shelf');
  });

  function ask(query: string, token: string): Promise<LibraryResponse> {
    return askGraph(gateway.graph, { query, token });
  }
});

/** A claim or header parameter that is left out when the token is written. */
function without(name: string): Record<string, never> {
  return { [name]: undefined } as unknown as Record<string, never>; // JSON leaves undefined members out
}

function codesOf({ errors = [] }: LibraryResponse): readonly string[] {
  return errors.map(({ extensions }) => extensions.code);
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
