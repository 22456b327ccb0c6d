import { createHmac, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { JSONWebKeySet, JWK } from 'jose';
import type { Claims } from './shapes.ts';

/** Ways to sign. */
export type Algorithm = 'RS256' | 'RS384' | 'PS256' | 'PS512' | 'ES256' | 'EdDSA' | 'HS256';

/** Makes tokens of any kind, also those that no library makes. Keys are made once. */
export interface TokenForge {
  /** What the issuer publishes. */
  readonly keys: JSONWebKeySet;
  /** The public key of the issuer as PEM, and as JWK. */
  readonly publicPem: string;
  readonly publicJwk: JWK;
  /** An untrusted key pair. */
  readonly untrusted: { readonly key: KeyObject; readonly jwk: JWK };
  /** Signs whatever it is given; `alg` in the header is written as it is. Members that are undefined are left out. */
  forge(header: Claims, claims: Claims | string, how?: Algorithm, key?: KeyObject | Buffer): string;
}

/** A forge with one key of each kind. */
export function createTokenForge(): TokenForge {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ed = generateKeyPairSync('ed25519');
  const untrusted = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const own: Readonly<Record<Algorithm, KeyObject>> = {
    RS256: rsa.privateKey,
    RS384: rsa.privateKey,
    PS256: rsa.privateKey,
    PS512: rsa.privateKey,
    ES256: ec.privateKey,
    EdDSA: ed.privateKey,
    HS256: rsa.privateKey,
  };
  const jwks = [
    { ...jwkOf(rsa.publicKey), kid: 'rsa' },
    { ...jwkOf(ec.publicKey), kid: 'ec' },
    { ...jwkOf(ed.publicKey), kid: 'ed' },
  ];
  return {
    keys: { keys: jwks.map((key) => ({ ...key, use: 'sig' })) },
    publicPem: rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    publicJwk: jwks[0] ?? {},
    untrusted: { key: untrusted.privateKey, jwk: jwkOf(untrusted.publicKey) },
    forge(header, claims, how = 'RS256', key = own[how]) {
      const text = `${encode(JSON.stringify(header))}.${encode(typeof claims === 'string' ? claims : JSON.stringify(claims))}`;
      return `${text}.${signatureOf(text, how, key).toString('base64url')}`;
    },
  };
}

function jwkOf(key: KeyObject): JWK {
  return createPublicKey(key.export({ type: 'spki', format: 'pem' })).export({ format: 'jwk' });
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function signatureOf(text: string, how: Algorithm, key: KeyObject | Buffer): Buffer {
  const data = Buffer.from(text);
  if (how === 'HS256')
    return createHmac('sha256', Buffer.isBuffer(key) ? key : Buffer.alloc(0))
      .update(data)
      .digest();
  const privateKey = key as KeyObject; // secrets are for HS256 alone
  const bits = how === 'EdDSA' ? null : `sha${how.slice(2)}`;
  if (how === 'PS256' || how === 'PS512')
    return sign(bits, data, { key: privateKey, padding: 6, saltLength: Number(how.slice(2)) / 8 });
  return sign(bits, data, how === 'ES256' ? { key: privateKey, dsaEncoding: 'ieee-p1363' } : privateKey);
}
