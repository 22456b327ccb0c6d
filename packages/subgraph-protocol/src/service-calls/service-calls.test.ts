import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireService } from './require-service.ts';
import { createServiceClient, ServiceCallFailed } from './service-client.ts';
import { generateServiceKey, publicServiceKey } from './service-key.ts';
import { createServiceTokenSigner, createServiceTokenVerifier } from './service-token.ts';

const comments = await generateServiceKey('comments');
const search = await generateServiceKey('search');
const keys = { keys: [publicServiceKey(comments), publicServiceKey(search)] };
const verifier = createServiceTokenVerifier('posts', keys);

describe('service tokens', () => {
  it('name the service that calls', async () => {
    const signer = await createServiceTokenSigner(comments);
    expect(await verifier.verify(await signer.sign('posts'))).toBe('comments');
  });

  it('S-062 are accepted by the one service they were made for', async () => {
    const signer = await createServiceTokenSigner(comments);
    await expect(verifier.verify(await signer.sign('users'))).rejects.toThrow('"aud"');
  });

  it('do not let one service speak for another', async () => {
    const impostor = await createServiceTokenSigner({ ...comments, kid: 'search' });
    await expect(verifier.verify(await impostor.sign('posts'))).rejects.toThrow('signature');
  });

  it('are not signed by unknown services', async () => {
    const unknown = await createServiceTokenSigner(await generateServiceKey('unknown'));
    await expect(verifier.verify(await unknown.sign('posts'))).rejects.toThrow('no applicable key');
  });

  it.each([undefined, '', 'nonsense'])('are needed: not %j', async (token) => {
    await expect(verifier.verify(token)).rejects.toThrow(Error);
  });

  it('publish nothing of the private key', () => {
    expect(Object.keys(publicServiceKey(comments)).toSorted()).toEqual([
      'alg',
      'crv',
      'kid',
      'kty',
      'use',
      'x',
      'y',
    ]);
  });
});

describe('calls', () => {
  let server: FastifyInstance;
  let url: string;
  beforeAll(async () => {
    server = Fastify({ forceCloseConnections: true }); // a socket that was opened for nothing is never idle
    const guarded = { preHandler: requireService(verifier, ['comments']) };
    server.get('/internal/hello', guarded, () => ({ hello: 'comments' }));
    server.post('/internal/echo', guarded, ({ body }) => body);
    server.get('/internal/hang', guarded, () => new Promise(() => {}));
    url = await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => server.close());
  const client = async (key = comments, timeoutMs = 5_000) =>
    createServiceClient({ service: 'posts', url, signer: await createServiceTokenSigner(key), timeoutMs });

  const statusOf = async (authorization: string): Promise<number> =>
    (await fetch(`${url}/internal/hello`, { headers: { authorization } })).status;

  it('reach those routes that are meant for the caller', async () => {
    const calling = await client();
    expect(await calling.get('/internal/hello')).toEqual({ hello: 'comments' });
    expect(await calling.post('/internal/echo', { ids: ['a'] })).toEqual({ ids: ['a'] });
  });

  it('are rejected with 403 for another service, and with 401 without a token', async () => {
    await expect((await client(search)).get('/internal/hello')).rejects.toMatchObject({ status: 403 });
    expect((await fetch(`${url}/internal/hello`)).status).toBe(401);
  });

  it.each(['bearer', 'BEARER'])('RFC 9110 §11.1: carry their token after %s as well', async (scheme) => {
    const token = await (await createServiceTokenSigner(comments)).sign('posts');
    expect(await statusOf(`${scheme} ${token}`)).toBe(200);
  });

  it('RFC 6750 §2.1: are rejected with 401 when blanks are in their token', async () => {
    const token = await (await createServiceTokenSigner(comments)).sign('posts');
    for (const sent of [`${token} x`, `${token.slice(0, -9)} ${token.slice(-9)}`, `${token},x`])
      expect(await statusOf(`Bearer ${sent}`), sent).toBe(401);
  });

  it('are given up when they take too long', async () => {
    const started = Date.now();
    await expect((await client(comments, 100)).get('/internal/hang')).rejects.toThrow(ServiceCallFailed);
    expect(Date.now() - started).toBeLessThan(4_000);
  });

  it('are given up when the caller gives up', async () => {
    const controller = new AbortController();
    const calling = (await client()).get('/internal/hang', controller.signal);
    controller.abort();
    await expect(calling).rejects.toThrow(ServiceCallFailed);
  });
});
