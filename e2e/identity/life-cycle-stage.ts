import { connectRedis, type RedisConnection } from '@trellis/redis';
import {
  addClient,
  startLogoutReceiver,
  startTestAuthServer,
  TOKEN_EXCHANGE_GRANT,
  type LogoutReceiver,
  type TestAuthServer,
} from '@trellis/auth-server/testing';
import {
  startEventGraph,
  type EventGraph,
  startTestGateway,
  type TestGateway,
} from '@trellis/gateway/testing';

/** With which clients register themselves. */
export const REGISTRATION_TOKEN = 'q3Zt7LkX9vB2nM5cR8wY1sD4fG6hJ0pA';

/** An auth-server, a gateway that trusts it, and a client's endpoint for notices. */
export interface LifeCycleStage {
  readonly server: TestAuthServer;
  readonly gateway: TestGateway;
  readonly receiver: LogoutReceiver;
  readonly redis: RedisConnection;
  stop(): Promise<void>;
}

/** The client that exchanges tokens of the others. */
export const EXCHANGER = 'exchanger';

/** Starts one. */
export async function startLifeCycleStage(): Promise<LifeCycleStage> {
  const [server, graph, receiver] = await Promise.all([
    startTestAuthServer({
      KEY_RELOAD_INTERVAL_S: '1',
      REGISTRATION_TOKEN,
      MAIL_URL: 'log:',
      SIGN_UP: 'true',
      TRUSTED_PROXIES: '127.0.0.1',
      CLIENT_CERTIFICATE_HEADER: 'Client-Cert',
    }),
    startEventGraph(),
    startLogoutReceiver(() => 200),
  ]);
  await addClient(server, {
    client_id: EXCHANGER,
    grant_types: [TOKEN_EXCHANGE_GRANT],
    scope: 'read:data write:data',
    resource_audiences: ['https://api.example/graphql'],
  });
  const gateway = await startGatewayFor(server, graph);
  const redis = connectRedis({ url: server.redis.url, name: 'test', onError: () => undefined });
  return {
    server,
    gateway,
    receiver,
    redis,
    stop: async () => {
      redis.disconnect();
      await gateway.close();
      await Promise.all([graph.close(), receiver.close(), server.stop()]);
    },
  };
}

function startGatewayFor({ issuer, redis }: TestAuthServer, graph: EventGraph): Promise<TestGateway> {
  return startTestGateway({
    subgraphs: graph.all,
    settings: `
http: { trustProxy: [127.0.0.1] }
authentication: { jwksCooldownMs: 1000, clientCertificate: { header: Client-Cert, format: rfc9440 } }
`,
    environment: {
      TOKEN_ISSUER: issuer,
      TOKEN_AUDIENCE: 'https://api.example/graphql',
      TOKEN_JWKS_URL: `${issuer}/jwks.json`,
      REDIS_URL: redis.url,
    },
  });
}
