import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestUserContext } from '@trellis/testkit';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Who signs access tokens that the gateways of a run accept. */
export interface TestIssuer {
  /** What a gateway is configured with. */
  readonly environment: Readonly<Record<string, string>>;
  /** What a gateway is configured with so that subgraphs learn who the user is. */
  readonly contextEnvironment: Readonly<Record<string, string>>;
  /** @param subject the user. @default the same one */
  token(scope: string, subject?: string): Promise<string>;
  close(): Promise<void>;
}

const AUDIENCE = 'http://localhost:4000/graphql';

/** Starts an issuer with its keys on HTTP. */
export async function startTestIssuer(): Promise<TestIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = JSON.stringify({
    keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }],
  });
  const server = createServer((_request, response) => response.end(keys));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const context = await createTestUserContext();
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  return {
    environment: { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: AUDIENCE, TOKEN_JWKS_URL: `${issuer}/jwks` },
    contextEnvironment: { USER_CONTEXT_PRIVATE_KEY: JSON.stringify(context.privateKey) },
    token: (scope, subject = 'user') =>
      new SignJWT({ client_id: 'web', gid: 'grant', scope, roles: ['VIEWER'] })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k' })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(subject)
        .setJti(crypto.randomUUID())
        .setIssuedAt()
        .setExpirationTime('15m')
        .sign(privateKey),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
