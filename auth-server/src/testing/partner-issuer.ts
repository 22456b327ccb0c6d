import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';

/** Claims or header members, of which those that are undefined are left out. */
export type Members = Readonly<Record<string, unknown>>;

/** An issuer of another organization, with its metadata and keys on HTTP. */
export interface PartnerIssuer {
  readonly issuer: string;
  readonly publicKey: JWK;
  readonly privateKey: CryptoKey;
  /** How often something was fetched. */
  fetches(): number;
  /** What is answered from now on, by path; without it the truth. */
  misbehave(responses: Readonly<Record<string, { readonly status: number; readonly body: unknown }>>): void;
  /** From now on it signs with another key, and publishes no other. */
  rotate(): Promise<void>;
  /** Signs good claims for an audience, some of them replaced. */
  sign(audience: unknown, claims?: Members, header?: Members, key?: CryptoKey | Uint8Array): Promise<string>;
  close(): Promise<void>;
}

/** Starts one on a free port. */
export async function startPartnerIssuer(): Promise<PartnerIssuer> {
  let pair = await createPair();
  let fetched = 0;
  let responses: Parameters<PartnerIssuer['misbehave']>[0] = {};
  const server = createServer((request, response) => {
    fetched += 1;
    const path = request.url ?? '';
    const truth: Members = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys: [pair.publicKey] },
    };
    const result = responses[path];
    response.statusCode = result?.status ?? (truth[path] === undefined ? 404 : 200);
    response.end(JSON.stringify(result ? result.body : (truth[path] ?? {})));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  return {
    issuer,
    get publicKey() {
      return pair.publicKey;
    },
    get privateKey() {
      return pair.privateKey;
    },
    fetches: () => fetched,
    misbehave: (given) => void (responses = given),
    rotate: async () => {
      pair = await createPair();
    },
    sign: (audience, claims = {}, header = {}, key = pair.privateKey) => {
      const nowS = Math.floor(Date.now() / 1000);
      const good = {
        iss: issuer,
        sub: 'ada-there',
        aud: audience,
        iat: nowS,
        exp: nowS + 300,
        jti: randomUUID(),
      };
      const protectedHeader = { alg: 'ES256', kid: pair.publicKey.kid, ...header } as { alg: string };
      return new SignJWT({ ...good, ...claims } as JWTPayload).setProtectedHeader(protectedHeader).sign(key);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function createPair(): Promise<{ readonly privateKey: CryptoKey; readonly publicKey: JWK }> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { privateKey, publicKey: { ...(await exportJWK(publicKey)), kid: randomUUID(), alg: 'ES256' } };
}
