import { registerGood, startTestAuthServer, type TestAuthServer } from '@trellis/auth-server/testing';
import {
  type EventGraph,
  type TestGateway,
  startEventGraph,
  startTestGateway,
} from '@trellis/gateway/testing';
import {
  createAuthority,
  createTemporaryDirectory,
  type TestAuthority,
  type TestCertificate,
} from '@trellis/testkit';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchWith, startMutualTlsProxy, type MutualTlsProxy } from './mutual-tls-proxy.ts';

const directory = createTemporaryDirectory();
let authority: TestAuthority;
let certificate: TestCertificate;
let other: TestCertificate;
let server: TestAuthServer;
let gateway: TestGateway;
let graph: EventGraph;
let inFrontOf: { readonly server: MutualTlsProxy; readonly gateway: MutualTlsProxy };

beforeAll(async () => {
  authority = createAuthority(directory.path);
  const proxyCertificate = authority.issue('proxy');
  certificate = authority.issue('service', { subject: '/O=Example/CN=service' });
  other = authority.issue('other');
  const [toServer, toGateway] = await Promise.all([
    startMutualTlsProxy(() => server.issuer, proxyCertificate),
    startMutualTlsProxy(() => gateway.url, proxyCertificate),
  ]);
  inFrontOf = { server: toServer, gateway: toGateway };
  server = await startTestAuthServer({
    TRUSTED_PROXIES: '127.0.0.1',
    CLIENT_CERTIFICATE_HEADER: 'Client-Cert',
    CLIENT_CERTIFICATE_CA_FILE: authority.certificateFile,
    MTLS_URL: toServer.url,
  });
  await registerGood(server, {
    client_id: 'service',
    grant_types: ['client_credentials'],
    scope: 'read:data',
    token_endpoint_auth_method: 'tls_client_auth',
    tls_client_auth_subject_dn: 'CN=service,O=Example',
    tls_client_certificate_bound_access_tokens: true,
  });
  graph = await startEventGraph();
  gateway = await startTestGateway({
    subgraphs: graph.all,
    settings: `
http: { trustProxy: [127.0.0.1] }
authentication: { clientCertificate: { header: Client-Cert, format: rfc9440 } }
`,
    environment: {
      TOKEN_ISSUER: server.issuer,
      TOKEN_AUDIENCE: 'https://api.example/graphql',
      TOKEN_JWKS_URL: `${server.issuer}/jwks.json`,
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([inFrontOf.server.close(), inFrontOf.gateway.close(), graph.close(), server.stop()]);
  directory.remove();
});

async function ask(
  token: string,
  shown: TestCertificate | undefined,
): Promise<{ readonly errors?: readonly object[] }> {
  const response = await fetchWith(shown, authority.certificate)(`${inFrontOf.gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: '{ latest { secret } }' }),
  });
  return (await response.json()) as { readonly errors?: readonly object[] };
}

describe('A-240: oauth4webapi with a certificate, from the token endpoint to the gateway', () => {
  it('A-240 gets a token at the alias, which the gateway takes with the certificate alone', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true } as const;
    const issuer = new URL(server.issuer);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const client: oauth.Client = { client_id: 'service', use_mtls_endpoint_aliases: true };
    const request = (shown: TestCertificate | undefined): Promise<Response> =>
      oauth.clientCredentialsGrantRequest(
        as,
        client,
        oauth.TlsClientAuth(),
        {},
        {
          [oauth.customFetch]: fetchWith(shown, authority.certificate),
        },
      );
    const tokens = await oauth.processClientCredentialsResponse(as, client, await request(certificate));
    expect(decodeJwt(tokens.access_token)['cnf']).toEqual({ 'x5t#S256': expect.any(String) as string });
    for (const shown of [undefined, other]) expect((await request(shown)).status).toBe(400);
    expect((await ask(tokens.access_token, certificate)).errors).toBeUndefined();
    for (const shown of [undefined, other])
      expect((await ask(tokens.access_token, shown)).errors).toEqual([
        expect.objectContaining({
          extensions: expect.objectContaining({ code: 'UNAUTHENTICATED' }) as object,
        }),
      ]);
  });
});
