import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose';

/** A key that a client signs by. */
export interface ClientKey {
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** Makes one. @param kid its name in a set */
export async function createClientKey(kid: string, alg = 'ES256'): Promise<ClientKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg } };
}

/** A server at which a client publishes its keys. */
export interface KeySetServer {
  /** The `jwks_uri`. */
  readonly uri: string;
  /** How often it was asked. */
  readonly requests: number;
  /** Has it respond in another way from now on. */
  respond(how: (response: ServerResponse) => void): void;
  /** Has it respond with a key set from now on. */
  publish(keys: readonly object[]): void;
  close(): Promise<void>;
}

/** Starts one on a loopback address. */
export async function startKeySetServer(keys: readonly object[] = []): Promise<KeySetServer> {
  let requests = 0;
  const sendKeys =
    (published: readonly object[]) =>
    (response: ServerResponse): void => {
      response.setHeader('content-type', 'application/jwk-set+json');
      response.end(JSON.stringify({ keys: published }));
    };
  let result = sendKeys(keys);
  const server = createServer((_request, response) => {
    requests += 1;
    result(response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens
  return {
    uri: `http://127.0.0.1:${port}/keys`,
    get requests() {
      return requests;
    },
    respond: (how) => void (result = how),
    publish: (published) => void (result = sendKeys(published)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
