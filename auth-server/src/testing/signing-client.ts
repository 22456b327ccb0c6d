import { randomUUID } from 'node:crypto';
import { SignJWT, type JWTPayload } from 'jose';
import { expect } from 'vitest';
import type { Browser } from '@trellis/testkit/sign-in';
import { JWT_BEARER } from '../clients/authentication/client-credentials.ts';
import { responseOf, completePages, createPkce, postForm, type JsonResponse, type Pkce } from './flow.ts';
import type { ClientKey } from './key-set-server.ts';
import { runCommand } from './run-command.ts';
import { CALLBACK } from './test-clients.ts';
import type { TestAuthServer } from './test-auth-server.ts';

/** Claims and header that differ from the good ones; undefined leaves one out. */
export interface Changes {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly by?: ClientKey;
}

/** A client that signs what it sends. */
export interface SigningClient {
  readonly clientId: string;
  /** The parameters that authenticate it. */
  assertion(changes?: Changes): Promise<Record<string, string>>;
  /** A request object with all that a request for a code needs. */
  requestObject(pkce: Pkce, changes?: Changes): Promise<string>;
  /** A proof for an endpoint. */
  proof(path: string, changes?: Changes): Promise<string>;
}

export const systemNowS = (): number => Math.floor(Date.now() / 1000);

/** A client by its id and key, at a server. */
export function signingClient(issuer: string, clientId: string, key: ClientKey): SigningClient {
  const sign = (
    claims: JWTPayload,
    header: object,
    { claims: others = {}, header: more = {}, by = key }: Changes,
  ) => {
    const { kid = '', alg = '' } = by.publicJwk;
    return new SignJWT({ ...claims, ...others })
      .setProtectedHeader({ alg, kid, ...header, ...more })
      .sign(by.privateKey);
  };
  const times = (): JWTPayload => ({ iat: systemNowS(), exp: systemNowS() + 60, jti: randomUUID() });
  return {
    clientId,
    assertion: async (changes = {}) => {
      const claims = { iss: clientId, sub: clientId, aud: issuer, ...times() };
      return { client_assertion: await sign(claims, {}, changes), client_assertion_type: JWT_BEARER };
    },
    requestObject: ({ challenge }, changes = {}) => {
      const request = {
        iss: clientId,
        aud: issuer,
        ...times(),
        nbf: systemNowS(),
        client_id: clientId,
        response_type: 'code',
        redirect_uri: CALLBACK,
        scope: 'openid read:data',
        state: 'signed-state',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      };
      return sign(request, { typ: 'oauth-authz-req+jwt' }, changes);
    },
    proof: (path, changes = {}) => {
      const { kty, crv, x, y, n, e } = (changes.by ?? key).publicJwk;
      const jwk = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })) as object; // without what is undefined
      const claims = { jti: randomUUID(), htm: 'POST', htu: `${issuer}${path}`, iat: systemNowS() };
      return sign(claims, { typ: 'dpop+jwt', jwk, kid: undefined }, changes);
    },
  };
}

/** Registers a client by the command line. @returns what is wrong with it, if anything */
export async function registerByCommand(server: TestAuthServer, metadata: object): Promise<string> {
  const { status, err } = await runCommand(
    server,
    ['clients', 'add', '--metadata-stdin'],
    JSON.stringify(metadata),
  );
  return status === 0 ? '' : err;
}

/** The same of one that is good. */
export async function registerGood(server: TestAuthServer, metadata: object): Promise<void> {
  expect(await registerByCommand(server, metadata)).toBe('');
}

/** Visits the authorization endpoint, signs in, and returns the parameters of the response. */
export async function visit(
  issuer: string,
  browser: Browser,
  parameters: Record<string, string>,
): Promise<URLSearchParams> {
  const first = await browser.get(`${issuer}/authorize?${new URLSearchParams(parameters)}`);
  return responseOf(await completePages(browser, first, issuer));
}

/** Pushes an authorization request of the client. */
export async function push(
  issuer: string,
  client: SigningClient,
  parameters: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<JsonResponse> {
  return postForm(`${issuer}/par`, { ...(await client.assertion()), ...parameters }, headers);
}

/** A code by a pushed request. */
export async function obtainPushedCode(
  issuer: string,
  client: SigningClient,
  browser: Browser,
  changes: Record<string, string> = {},
): Promise<{ readonly code: string; readonly pkce: Pkce }> {
  const pkce = createPkce();
  const parameters = {
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid read:data offline_access',
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    ...changes,
  };
  const { status, body } = await push(issuer, client, parameters);
  expect(status, JSON.stringify(body)).toBe(201);
  const response = await visit(issuer, browser, {
    client_id: client.clientId,
    request_uri: String(body['request_uri']),
  });
  return { code: response.get('code') ?? expect.fail(`no code but ${response}`), pkce };
}
