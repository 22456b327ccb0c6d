import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';

/** An issuer of access tokens with its JWKS on HTTP. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** Variables of a gateway that trusts it. */
  readonly environment: Readonly<Record<'TOKEN_ISSUER' | 'TOKEN_AUDIENCE' | 'TOKEN_JWKS_URL', string>>;
  /** How often the keys were fetched. */
  fetches(): number;
  /** Signs a token; claims and header members given here win over good ones, `undefined` leaves them out. */
  sign(claims?: Readonly<Record<string, unknown>>, options?: SignOptions): Promise<string>;
  /** Signs good claims under any header, with the right key. Members that are `undefined` are left out. */
  signUnderHeader(header: Readonly<Record<string, unknown>>): Promise<string>;
  /** The public key of the first pair, for forgeries. */
  readonly publicKey: JWK;
  /** From now on tokens are signed with a new key; the old one stays published unless it is retired. */
  rotate(options?: { readonly retire?: boolean }): Promise<void>;
  /** What the JWKS address answers from now on; `undefined` is the truth again. */
  misbehave(result: { readonly status: number; readonly body: string } | undefined): void;
  close(): Promise<void>;
}

/** What is unusual about a token. */
export interface SignOptions {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: CryptoKey | Uint8Array;
}

interface KeyPair {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: JWK;
}

const AUDIENCE = 'http://localhost:4000/graphql';
const LIFETIME_S = 900;

/** Starts an issuer on a free port. */
export async function startTokenIssuer(): Promise<TokenIssuer> {
  let pairs: readonly KeyPair[] = [await createPair('key-1')];
  let fetched = 0;
  let misbehaviour: { readonly status: number; readonly body: string } | undefined;
  const server = createServer((_request, response) => {
    fetched += 1;
    const keys = JSON.stringify({ keys: pairs.map(({ publicKey }) => publicKey) });
    response.statusCode = misbehaviour?.status ?? 200;
    response.end(misbehaviour?.body ?? keys);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const issuer = `http://127.0.0.1:${port}`;
  const current = (): KeyPair => pairs.at(-1) as KeyPair; // there is always one
  return {
    issuer,
    audience: AUDIENCE,
    jwksUrl: `${issuer}/jwks`,
    environment: { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: AUDIENCE, TOKEN_JWKS_URL: `${issuer}/jwks` },
    fetches: () => fetched,
    publicKey: current().publicKey,
    async sign(claims = {}, options = {}) {
      const header = { alg: 'ES256', typ: 'at+jwt', kid: current().kid, ...options.header };
      return new SignJWT({ ...goodClaims(issuer), ...claims })
        .setProtectedHeader(header)
        .sign(options.key ?? current().privateKey);
    },
    async signUnderHeader(header) {
      const written = { alg: 'ES256', typ: 'at+jwt', kid: current().kid, ...header };
      const signed = `${encode(written)}.${encode(goodClaims(issuer))}`;
      const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
      const signature = await crypto.subtle.sign(algorithm, current().privateKey, Buffer.from(signed));
      return `${signed}.${Buffer.from(signature).toString('base64url')}`;
    },
    async rotate(options = {}) {
      const next = await createPair(`key-${pairs.length + 1}`);
      pairs = options.retire ? [next] : [...pairs, next];
    },
    misbehave(result) {
      misbehaviour = result;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function goodClaims(issuer: string): JWTPayload {
  const now = Math.floor(Date.now() / 1_000);
  return {
    iss: issuer,
    aud: AUDIENCE,
    sub: 'user-1',
    client_id: 'test-client',
    iat: now,
    exp: now + LIFETIME_S,
    jti: crypto.randomUUID(),
    gid: 'grant-1',
    scope: 'read:data read:profile',
    roles: ['VIEWER'],
  };
}

async function createPair(kid: string): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid, privateKey, publicKey: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}
