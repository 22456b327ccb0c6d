import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUserContextSigner, type UserContextSigner } from './sign-user-context.ts';
import { InvalidUserContext, type UserContext } from './user-context.ts';
import { createUserContextVerifier, type UserContextVerifier } from './verify-user-context.ts';

const ada: UserContext = {
  issuer: 'https://id.example',
  user: { id: 'ada', roles: ['ADMIN'], name: 'Ada', email: 'ada@example.com', tokenIssuedAt: 1_700_000_000 },
  clientId: 'cli',
  scopes: ['openid', 'read:data'],
  policies: ['vetted'],
  grantId: 'g1',
};

interface KeyPair {
  readonly privateKey: JWK;
  readonly publicKey: JWK;
}

async function createKeyPair(): Promise<KeyPair> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const names = { kid: 'k1', alg: 'ES256' };
  return {
    privateKey: { ...(await exportJWK(pair.privateKey)), ...names },
    publicKey: { ...(await exportJWK(pair.publicKey)), ...names },
  };
}

describe('the user context', () => {
  let keys: KeyPair;
  let signer: UserContextSigner;
  let posts: UserContextVerifier;

  beforeAll(async () => {
    keys = await createKeyPair();
    signer = await createUserContextSigner({ privateKey: keys.privateKey });
    posts = createUserContextVerifier({
      subgraph: 'posts',
      keys: createLocalJWKSet({ keys: [keys.publicKey] }),
    });
  });

  it('arrives as it was sent', async () => {
    expect(await posts.verify(await signer.sign(ada, 'posts'))).toEqual(ada);
  });

  it('carries an anonymous request without a user', async () => {
    expect(await posts.verify(await signer.sign({ scopes: [] }, 'posts'))).toEqual({ scopes: [] });
  });

  it('S-062 is rejected by every subgraph but the one it was made for', async () => {
    await expect(posts.verify(await signer.sign(ada, 'users'))).rejects.toThrow(InvalidUserContext);
  });

  it('S-041 is required', async () => {
    await expect(posts.verify(undefined)).rejects.toThrow(InvalidUserContext);
  });

  it('is rejected when another key signed it', async () => {
    const untrusted = await createUserContextSigner({ privateKey: (await createKeyPair()).privateKey });
    await expect(posts.verify(await untrusted.sign(ada, 'posts'))).rejects.toThrow(InvalidUserContext);
  });

  it('is rejected when expired, also from the cache', async () => {
    const brief = await createUserContextSigner({ privateKey: keys.privateKey, lifetimeS: -10 });
    const token = await brief.sign(ada, 'posts');
    await expect(posts.verify(token)).rejects.toThrow(InvalidUserContext);
  });

  it('is rejected when it is a token of another type', async () => {
    const { importJWK } = await import('jose');
    const token = await new SignJWT({ sub: 'ada', scope: 'read:data' })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' })
      .setAudience('posts')
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(await importJWK(keys.privateKey, 'ES256'));
    await expect(posts.verify(token)).rejects.toThrow(InvalidUserContext);
  });

  describe('of a developer', () => {
    let signed: UserContextSigner;
    let staging: UserContextVerifier;
    beforeAll(async () => {
      const own = await createKeyPair();
      signed = await createUserContextSigner({ privateKey: own.privateKey });
      staging = createUserContextVerifier({
        subgraph: 'posts',
        keys: createLocalJWKSet({ keys: [{ ...keys.publicKey, kid: 'gateway' }] }),
        developers: { keys: createLocalJWKSet({ keys: [own.publicKey] }), scopes: ['read:data'] },
      });
    });

    it('has the scopes of developers at most, and neither roles nor policies', async () => {
      const { user, policies: _policies, ...others } = ada;
      expect(await staging.verify(await signed.sign(ada, 'posts'))).toEqual({
        ...others,
        user: { ...user, roles: [] },
        scopes: ['read:data'],
      });
      const group = { scopes: ['admin'], groupRoles: ['ADMIN'] };
      expect(await staging.verify(await signed.sign(group, 'posts'))).toEqual({ scopes: [] });
    });

    it('is rejected where developers are not known, and for another subgraph', async () => {
      await expect(posts.verify(await signed.sign(ada, 'posts'))).rejects.toThrow(InvalidUserContext);
      await expect(staging.verify(await signed.sign(ada, 'users'))).rejects.toThrow(InvalidUserContext);
    });
  });
});
