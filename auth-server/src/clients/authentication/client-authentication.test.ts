import { queryChecked } from '@trellis/postgres';
import { randomUUID } from 'node:crypto';
import { generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from 'jose';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basic, createPkce, obtainCode, postForm, type JsonResponse } from '../../testing/flow.ts';
import { runCommand } from '../../testing/run-command.ts';
import { CLIENT_SECRET } from '../../testing/test-clients.ts';
import { startTestAuthServer, type TestAuthServer } from '../../testing/test-auth-server.ts';

let server: TestAuthServer;
beforeAll(async () => {
  server = await startTestAuthServer({ TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => server.stop());

/** A refresh with garbage: invalid_grant shows that the client was accepted. */
function probe(form: Record<string, string>, headers: Record<string, string> = {}): Promise<JsonResponse> {
  return postForm(
    `${server.issuer}/token`,
    { grant_type: 'refresh_token', refresh_token: 'x', ...form },
    headers,
  );
}

describe('RFC 6749 §2.3: client authentication', () => {
  it('A-101 rejects an unknown client', async () => {
    const response = await probe({ client_id: 'unknown' });
    expect(response.status).toBe(400);
    expect(response.body['error']).toBe('invalid_client');
    expect((await probe({})).body['error']).toBe('invalid_client');
  });

  it('A-102 answers failed Basic with 401 and a challenge', async () => {
    for (const headers of [basic('basic', 'wrong'), basic('unknown'), basic('basic', `${CLIENT_SECRET} `)]) {
      const response = await probe({}, headers);
      expect(response.status).toBe(401);
      expect(response.body['error']).toBe('invalid_client');
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
    }
  });

  it('A-103 form-decodes id and secret', async () => {
    expect((await probe({}, basic('basic'))).body['error']).toBe('invalid_grant');
    const raw = Buffer.from(`basic:${CLIENT_SECRET}`).toString('base64');
    expect((await probe({}, { authorization: `Basic ${raw}` })).body['error']).toBe('invalid_client');
  });

  it.each([
    'Basic',
    'Basic ',
    'Basic !!!',
    'Basic bm9jb2xvbg==',
    `Basic ${btoa(':x')}`,
    `Basic ${btoa('basic:')}`,
    `Basic ${btoa('basic:%zz')}`,
    'Bearer x',
    'Digest x',
  ])('A-103 rejects the header %j', async (authorization) => {
    const response = await probe({}, { authorization });
    expect(response.status).toBe(401);
    expect(response.body['error']).toBe('invalid_client');
  });

  it('A-104 supports client_secret_post', async () => {
    const response = await probe({ client_id: 'post', client_secret: CLIENT_SECRET });
    expect(response.body['error']).toBe('invalid_grant');
    expect((await probe({ client_id: 'post', client_secret: 'wrong' })).body['error']).toBe('invalid_client');
  });

  it('accepts only the method that the client is registered with', async () => {
    expect((await probe({ client_id: 'basic', client_secret: CLIENT_SECRET })).body['error']).toBe(
      'invalid_client',
    );
    expect((await probe({}, basic('post'))).body['error']).toBe('invalid_client');
    expect((await probe({}, basic('spa', 'anything'))).body['error']).toBe('invalid_client');
  });

  it.each(['token', 'revoke', 'introspect'])(
    'A-105 wants the credentials of a confidential client at /%s',
    async (path) => {
      const form = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x', client_id: 'basic' };
      expect((await postForm(`${server.issuer}/${path}`, form)).body['error']).toBe('invalid_client');
    },
  );

  it('A-106 rejects two methods at once', async () => {
    const response = await probe({ client_id: 'basic', client_secret: CLIENT_SECRET }, basic('basic'));
    expect(response.body['error']).toBe('invalid_request');
  });

  it('A-107 rejects a client_id that differs from the authenticated client', async () => {
    expect((await probe({ client_id: 'spa' }, basic('basic'))).body['error']).toBe('invalid_client');
    expect((await probe({ client_id: 'basic' }, basic('basic'))).body['error']).toBe('invalid_grant');
  });

  it('A-110 stores no secret', async () => {
    const client = new pg.Client({ connectionString: server.environment['DATABASE_URL'] });
    await client.connect();
    const rows = await queryChecked(
      client,
      { record: 'text', hash: 'bytea' },
      "SELECT row_to_json(client)::text AS record, secret_hash AS hash FROM auth.client WHERE client_id = 'basic'",
    );
    await client.end();
    expect(rows[0]?.record).not.toContain(CLIENT_SECRET);
    expect(rows[0]?.hash).toHaveLength(32);
  });

  it('A-111 never authenticates a public client by an empty secret, nor a confidential one', async () => {
    expect((await probe({ client_id: 'spa', client_secret: '' })).body['error']).toBe('invalid_grant');
    expect((await probe({ client_id: 'post', client_secret: '' })).body['error']).toBe('invalid_client');
    expect((await probe({}, basic('spa', ''))).body['error']).toBe('invalid_client');
  });

  it('logs a failure without the secret', async () => {
    await probe({}, basic('basic', 'a-secret-to-find'));
    expect(server.log.some((line) => line.includes('client_authentication_failed'))).toBe(true);
    expect(server.log.join('')).not.toContain('a-secret-to-find');
  });
});

describe('RFC 7523 §3: private_key_jwt', () => {
  const now = (): number => Math.floor(Date.now() / 1000);

  function sign(changes: JWTPayload = {}, key: CryptoKey = server.assertionKey.privateKey): Promise<string> {
    const claims = {
      iss: 'jwt',
      sub: 'jwt',
      aud: server.issuer,
      exp: now() + 60,
      iat: now(),
      jti: randomUUID(),
      ...changes,
    };
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'client-key' }).sign(key);
  }

  function send(assertion: string, form: Record<string, string> = {}): Promise<JsonResponse> {
    return probe({
      client_assertion: assertion,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      ...form,
    });
  }

  it('A-108 accepts a good assertion once, with or without client_id', async () => {
    const assertion = await sign();
    expect((await send(assertion)).body['error']).toBe('invalid_grant');
    expect((await send(assertion)).body['error']).toBe('invalid_client');
    expect((await send(await sign(), { client_id: 'jwt' })).body['error']).toBe('invalid_grant');
  });

  it.each([
    [-25, 'invalid_grant'],
    [-5, 'invalid_grant'],
    [5, 'invalid_grant'],
    [20, 'invalid_grant'],
    [-300, 'invalid_client'],
    [300, 'invalid_client'],
  ])(
    'F-14 A-108 answers a client whose clock is %i s ahead, and whose assertions live 10 s, with %s',
    async (aheadS, error) => {
      const iat = now() + aheadS;
      expect((await send(await sign({ iat, exp: iat + 10 }))).body['error']).toBe(error);
    },
  );

  it('A-108 lets a client exchange a code', async () => {
    const pkce = createPkce();
    const code = await obtainCode(server.issuer, pkce, { client_id: 'jwt' });
    const response = await send(await sign(), {
      grant_type: 'authorization_code',
      code,
      code_verifier: pkce.verifier,
    });
    expect(response.status).toBe(200);
  });

  describe('M12: of a client whose assertions may name the token endpoint', () => {
    const endpoint = (): string => `${server.issuer}/token`;
    const signOwn = (aud: unknown, changes: JWTPayload = {}): Promise<string> =>
      sign({ iss: 'endpoint-audience', sub: 'endpoint-audience', aud: aud as never, ...changes });

    it('takes the token endpoint, and the issuer', async () => {
      for (const aud of [endpoint(), server.issuer])
        expect((await send(await signOwn(aud))).body['error'], aud).toBe('invalid_grant');
    });

    it('takes no list, no near miss and no other server', async () => {
      const bad: unknown[] = [
        [endpoint()],
        [server.issuer, endpoint()],
        [endpoint(), 'https://other.example/token'],
        `${endpoint()}/`,
        `${endpoint()}?x`,
        endpoint().toUpperCase(),
        `${server.issuer}/par`,
        `${server.issuer}/`,
        'https://other.example/token',
        '',
        undefined,
        {},
      ];
      for (const aud of bad)
        expect((await send(await signOwn(aud))).body['error'], JSON.stringify(aud)).toBe('invalid_client');
    });

    it('takes each assertion once', async () => {
      const assertion = await signOwn(endpoint());
      expect((await send(assertion)).body['error']).toBe('invalid_grant');
      expect((await send(assertion)).body['error']).toBe('invalid_client');
    });
  });

  it('A-109 rejects every assertion that is not quite right', async () => {
    const foreign = await generateKeyPair('ES256');
    const bad: Record<string, string> = {
      'audience of another server': await sign({ aud: 'https://other.example' }),
      'audience of the token endpoint': await sign({ aud: `${server.issuer}/token` }),
      'a list of audiences': await sign({ aud: [server.issuer, 'https://other.example'] }),
      expired: await sign({ exp: now() - 60 }),
      'without end': await sign({ exp: undefined as never }),
      'far end': await sign({ exp: now() + 86_400 }),
      'another subject': await sign({ sub: 'spa' }),
      'another issuer': await sign({ iss: 'spa' }),
      'without jti': await sign({ jti: undefined as never }),
      'another key': await sign({}, foreign.privateKey),
      unsigned: new UnsecuredJWT({
        iss: 'jwt',
        sub: 'jwt',
        aud: server.issuer,
        exp: now() + 60,
        jti: randomUUID(),
      }).encode(),
      garbage: 'x.y.z',
    };
    for (const [what, assertion] of Object.entries(bad)) {
      expect((await send(assertion)).body['error'], what).toBe('invalid_client');
    }
    expect((await send(await sign(), { client_id: 'spa' })).body['error']).toBe('invalid_client');
    expect((await send(await sign(), { client_assertion_type: 'x' })).body['error']).toBe('invalid_client');
  });
});

describe('M5: secrets of clients', () => {
  const guess = (address: string, clientId: string, secret?: string): Promise<JsonResponse> =>
    probe({}, { 'x-forwarded-for': address, ...basic(clientId, secret) });

  it.each(['basic', 'unknown'])(
    'of %s can be guessed 20 times from an address, however many are sent together',
    async (id) => {
      const responses = await Promise.all(
        Array.from({ length: 60 }, () => guess('203.0.113.1', id, 'wrong')),
      );
      const statuses = responses.map(({ status }) => status);
      expect(statuses.filter((status) => status === 401)).toHaveLength(20);
      expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    },
  );

  it.each(['x', 'short-secret', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'])(
    'that are easy to guess are not registered: %s',
    async (client_secret) => {
      const metadata = {
        client_id: 'weak',
        client_secret,
        grant_types: ['client_credentials'],
        scope: 'read:data',
      };
      const args = ['clients', 'add', '--metadata-stdin'];
      const { status, err } = await runCommand(server, args, JSON.stringify(metadata));
      expect([status === 0, err]).toEqual([false, expect.stringContaining('client_secret')]);
    },
  );

  it('can be guessed 80 times from a /24', async () => {
    const guesses = Array.from({ length: 150 }, (_, index) => guess(`198.51.100.${index}`, 'basic', 'wrong'));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(80);
  });

  it('are not confirmed to a network that has guessed, and work from any other', async () => {
    await Promise.all(Array.from({ length: 25 }, () => guess('192.0.2.1', 'basic', 'wrong')));
    const right = await guess('192.0.2.1', 'basic');
    expect(right).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await guess('192.0.2.2', 'basic')).body['error']).toBe('invalid_grant');
    expect((await guess('100.64.0.1', 'basic')).body['error']).toBe('invalid_grant');
  });

  it('are counted by several instances together', async () => {
    const instance = await startTestAuthServer({ TRUSTED_PROXIES: '127.0.0.1', REDIS_URL: server.redis.url });
    try {
      await Promise.all(Array.from({ length: 20 }, () => guess('192.0.2.77', 'basic', 'wrong')));
      const there = (secret?: string): Promise<JsonResponse> =>
        postForm(
          `${instance.issuer}/token`,
          { grant_type: 'refresh_token', refresh_token: 'x' },
          {
            'x-forwarded-for': '192.0.2.77',
            ...basic('basic', secret),
          },
        );
      expect((await there('wrong')).status).toBe(401);
      await expect.poll(async () => (await there()).status).toBe(429);
    } finally {
      await instance.stop();
    }
  });
});
