import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, SignJWT, type JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { isBoundedKey } from './bounded-key.ts';
import { verifyProofSignature } from './proof-signature.ts';

const NOW_MS = 1_900_000_000_000;

interface Pair {
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
}

function pairOf({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }): Pair {
  return { privateKey, jwk: publicKey.export({ format: 'jwk' }) };
}

const ec = (namedCurve: string): Pair => pairOf(generateKeyPairSync('ec', { namedCurve }));
const ed = (): Pair => pairOf(generateKeyPairSync('ed25519'));
const rsa = (modulusLength: number, publicExponent = 65_537): Pair =>
  pairOf(generateKeyPairSync('rsa', { modulusLength, publicExponent }));

const RSA_2048 = rsa(2_048);

function sign(
  { privateKey, jwk }: Pair,
  alg: string,
  claims: object = {},
  header: object = {},
): Promise<string> {
  return new SignJWT({ jti: 'a', ...claims })
    .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header })
    .sign(privateKey);
}

describe('RFC 9449 §4.3: the signature of a proof', () => {
  it.each([
    ['ES256', ec('P-256')],
    ['EdDSA', ed()],
    ['RS256', RSA_2048],
    ['PS256', RSA_2048],
  ])('is verified by the key in its header: %s', async (alg, pair) => {
    const { claims, thumbprint } = await verifyProofSignature(await sign(pair, alg, { htm: 'POST' }), NOW_MS);
    expect(claims).toEqual({ jti: 'a', htm: 'POST' });
    expect(thumbprint).toBe(await calculateJwkThumbprint(pair.jwk));
  });

  it.each([
    ['of another key', sign(RSA_2048, 'RS256', {}, { jwk: rsa(2_048).jwk })],
    ['of another type', sign(RSA_2048, 'RS256', {}, { typ: 'JWT' })],
    ['by another algorithm', sign(RSA_2048, 'RS512')],
    ['by another curve', sign(ec('P-384'), 'ES384')],
    ['that has expired', sign(RSA_2048, 'RS256', { exp: NOW_MS / 1_000 - 61 })],
    ['that is too long', sign(RSA_2048, 'RS256', { a: 'x'.repeat(5_000) })],
    ['without a key', sign(RSA_2048, 'RS256', {}, { jwk: undefined })],
  ])('is rejected %s', async (_what, proof) => {
    await expect(verifyProofSignature(await proof, NOW_MS)).rejects.toThrow();
  });

  it('L2: is not even looked at where the exponent of its key is another than 65,537', async () => {
    const proof = await sign(rsa(2_048, 3), 'RS256');
    await expect(verifyProofSignature(proof, NOW_MS)).rejects.toThrow('its key is none of');
  });
});

describe('A bounded key', () => {
  const { n = '', e = '' } = RSA_2048.jwk;
  it.each<[string, JWK]>([
    ['P-256', ec('P-256').jwk],
    ['Ed25519', ed().jwk],
    ['RSA of 2,048 bits', RSA_2048.jwk],
    ['RSA of 4,096 bits', { kty: 'RSA', n: Buffer.alloc(512, 255).toString('base64url'), e }],
  ])('is one of %s', (_kind, jwk) => {
    expect(isBoundedKey(jwk)).toBe(true);
  });

  it.each<[string, JWK]>([
    ['an exponent as long as the modulus', { kty: 'RSA', n, e: n }],
    ['the exponent 3', { kty: 'RSA', n, e: 'Aw' }],
    ['the exponent in more bytes', { kty: 'RSA', n, e: 'AAEAAQ' }],
    ['8,192 bits', { kty: 'RSA', n: Buffer.alloc(1_024, 255).toString('base64url'), e }],
    ['513 bytes', { kty: 'RSA', n: Buffer.alloc(513, 255).toString('base64url'), e }],
    ['1,024 bits', { kty: 'RSA', n: Buffer.alloc(128, 255).toString('base64url'), e }],
    ['no modulus', { kty: 'RSA', e }],
    ['the curve P-521', { kty: 'EC', crv: 'P-521', x: 'a', y: 'b' }],
    ['the curve Ed448', { kty: 'OKP', crv: 'Ed448', x: 'a' }],
    ['no curve', { kty: 'EC' }],
    ['a secret', { kty: 'oct', k: 'a' }],
    ['no type', {}],
  ])('L2: is none with %s', (_kind, jwk) => {
    expect(isBoundedKey(jwk)).toBe(false);
  });
});
