import { exportJWK, generateKeyPair } from 'jose';
import { until } from '@trellis/testkit';
import { startEventGraph, type EventGraph } from './event-graph.ts';
import { RawSocket } from './raw-socket.ts';
import { startTestGateway, type TestGateway } from './test-gateway.ts';
import { startTokenIssuer, type TokenIssuer } from './token-issuer.ts';

/** A graph with events, behind a gateway that takes access tokens and signs the user contexts of its requests. */
export class EventStage {
  readonly graph: EventGraph;
  readonly issuer: TokenIssuer;
  readonly gateway: TestGateway;
  readonly #sockets: RawSocket[] = [];

  private constructor(graph: EventGraph, issuer: TokenIssuer, gateway: TestGateway) {
    this.graph = graph;
    this.issuer = issuer;
    this.gateway = gateway;
  }

  /** @param settings as the text of gateway.yaml @param environment variables beside those of the tokens */
  static async start(
    settings: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<EventStage> {
    const [graph, issuer] = await Promise.all([startEventGraph(), startTokenIssuer()]);
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const contextKey = JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'context-1' });
    const gateway = await startTestGateway({
      subgraphs: graph.all,
      settings,
      environment: { ...issuer.environment, USER_CONTEXT_PRIVATE_KEY: contextKey, ...environment },
    });
    return new EventStage(graph, issuer, gateway);
  }

  /** Connects by graphql-transport-ws, until the test ends. @param headers of the upgrade request */
  async connect(
    payload?: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawSocket> {
    return this.closeAfter(await RawSocket.connect(`${this.gateway.url}/graphql`, payload, { headers }));
  }

  /** Opens a socket that says nothing, until the test ends. */
  async open(protocol: string): Promise<RawSocket> {
    const socket = this.closeAfter(new RawSocket(`${this.gateway.url}/graphql`, {}, protocol));
    await socket.opened();
    return socket;
  }

  /** Closes a socket, to whatever gateway, when the test ends. */
  closeAfter(socket: RawSocket): RawSocket {
    this.#sockets.push(socket);
    return socket;
  }

  /** What subgraphs were asked before is forgotten. */
  forget(): void {
    this.graph.news.forget();
    this.graph.people.forget();
  }

  /** Closes the sockets of a test, and waits until nothing is subscribed to. */
  async disconnect(): Promise<void> {
    for (const socket of this.#sockets.splice(0)) socket.close();
    await until(() => this.graph.news.open() === 0, 'all upstream subscriptions have ended');
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await Promise.all([this.issuer.close(), this.graph.close()]);
  }
}
