import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose';

/** An OpenID provider of someone else's, as far as a resource server needs one: it has keys and signs what it is given. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** How often its keys were fetched. */
  fetches(): number;
  /** Signs an access token that is good, except for what is given. */
  sign(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  readonly publicKey: JWK;
  close(): Promise<void>;
}

const KID = 'the-only-key';

/** Starts it on a free port. */
export async function startTokenIssuer(audience: string): Promise<TokenIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid: KID, alg: 'ES256', use: 'sig' };
  let fetches = 0;
  const server = createServer((_request, response) => {
    fetches += 1;
    response.setHeader('content-type', 'application/jwk-set+json').end(JSON.stringify({ keys: [jwk] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    audience,
    jwksUrl: `${issuer}/keys`,
    fetches: () => fetches,
    sign: (claims, header) => signToken(privateKey, { ...goodClaims(issuer, audience), ...claims }, header),
    publicKey: jwk,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Signs with a key of one's own choice, under the issuer's key id. */
export function signToken(
  key: CryptoKey | Uint8Array,
  claims: JWTPayload,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: KID, ...header })
    .sign(key);
}

/** What an access token of RFC 9068 says. */
export function goodClaims(issuer: string, audience: string): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    aud: audience,
    sub: 'some-user',
    client_id: 'a-client',
    iat: now,
    exp: now + 300,
    jti: crypto.randomUUID(),
    scope: '',
  };
}
