import { API, CALLBACK } from './test-clients.ts';
import { expect } from 'vitest';
import { TOKEN_EXCHANGE_GRANT } from '../clients/grant-types.ts';
import { ACCESS_TOKEN_TYPE } from '../grants/token-types.ts';
import { addClient } from './add-client.ts';
import {
  basic,
  createPkce,
  exchange,
  obtainCode,
  postForm,
  tokensOf,
  type JsonResponse,
  type Tokens,
} from './flow.ts';
import { startTestAuthServer, type TestAuthServer } from './test-auth-server.ts';

/** Resource of the client `second`. */
export const SECOND = 'https://second.example/api';

/** Parameters of an exchange; those that are undefined are left out. */
export type Form = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A server with clients that may exchange tokens, each in its own way. */
export interface ExchangeStage {
  readonly server: TestAuthServer;
  /** Of a user, given to the client `basic` for the first API. */
  readonly subject: Tokens;
  userTokens(clientId: string, email?: string, scope?: string): Promise<Tokens>;
  machineToken(clientId: string): Promise<string>;
  /** An exchange of the user's token, some parameters of it replaced. */
  trade(clientId: string, changes?: Form, headers?: Record<string, string>): Promise<JsonResponse>;
  /** The token that an exchange gives. */
  traded(clientId: string, changes?: Form): Promise<string>;
  isActive(token: string): Promise<boolean>;
  /** Records of the log of a security event. */
  audited(event: string): readonly Record<string, unknown>[];
}

/** Starts it. */
export async function startExchangeStage(): Promise<ExchangeStage> {
  const server = await startServer();
  const userTokens: ExchangeStage['userTokens'] = async (clientId, email, scope) => {
    const pkce = createPkce();
    const request = { client_id: clientId, ...(scope !== undefined && { scope }) };
    const code = await obtainCode(server.issuer, pkce, request, undefined, email);
    return tokensOf(await exchange(server.issuer, code, pkce, { client_id: clientId }, basic(clientId)));
  };
  const subject = await userTokens('basic');
  const trade: ExchangeStage['trade'] = (clientId, changes = {}, headers = {}) => {
    const good: Form = {
      grant_type: TOKEN_EXCHANGE_GRANT,
      subject_token: subject.accessToken,
      subject_token_type: ACCESS_TOKEN_TYPE,
    };
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...good, ...changes }))
      for (const one of [value ?? []].flat()) form.append(name, one);
    return postForm(`${server.issuer}/token`, form, { ...basic(clientId), ...headers });
  };
  return {
    server,
    subject,
    userTokens,
    async machineToken(clientId) {
      const form = { grant_type: 'client_credentials' };
      return String((await postForm(`${server.issuer}/token`, form, basic(clientId))).body['access_token']);
    },
    trade,
    async traded(clientId, changes = {}) {
      const { status, body } = await trade(clientId, changes);
      expect(status, JSON.stringify(body)).toBe(200);
      return String(body['access_token']);
    },
    async isActive(token) {
      return (
        (await postForm(`${server.issuer}/introspect`, { token }, basic('basic'))).body['active'] === true
      );
    },
    audited: (event) =>
      server.log
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((record) => record['event'] === event),
  };
}

async function startServer(): Promise<TestAuthServer> {
  const server = await startTestAuthServer();
  const grants = [TOKEN_EXCHANGE_GRANT, 'client_credentials'];
  const scope = 'profile read:data write:data';
  const service = { grant_types: grants, scope };
  await addClient(server, {
    ...service,
    client_id: 'api',
    resource_audiences: [API],
    token_exchange_audiences: [SECOND],
  });
  await addClient(server, {
    ...service,
    client_id: 'second',
    resource_audiences: [SECOND],
    token_exchange_audiences: [API],
  });
  await addClient(server, {
    ...service,
    client_id: 'support',
    resource_audiences: [API, SECOND],
    token_exchange_impersonation: true,
  });
  await addClient(server, {
    grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT],
    redirect_uris: [CALLBACK],
    client_id: 'own-only',
  });
  await addClient(server, {
    grant_types: grants,
    scope: 'read:profile',
    client_id: 'others',
    resource_audiences: [API],
  });
  await addClient(server, {
    grant_types: ['client_credentials'],
    client_id: 'no-exchange',
    scope: 'read:data',
  });
  return server;
}
