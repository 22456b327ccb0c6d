import { afterAll, afterEach, beforeAll } from 'vitest';
import { startMagazineGraph, type MagazineGraph } from './magazine-graph.ts';
import { readMultipart, type MultipartReader } from './multipart-reader.ts';
import { sendQuery, type Sending } from './send-query.ts';
import { startTestGateway, type TestGateway } from './test-gateway.ts';

/** Accepts parts in the older dialect. */
export const OLD = 'multipart/mixed;deferSpec=20220824, application/json';
/** Accepts parts with `pending` and `completed`. */
export const NEW = 'multipart/mixed;incrementalSpec=v0.2, application/json';

/** Longer than tests wait: what ends a call was not its time-out. */
const SUBGRAPH_MS = 60_000;

/** What tests of responses in parts have in common. */
export interface MagazineStage {
  readonly graph: MagazineGraph;
  readonly gateway: TestGateway;
  readonly send: (query: string, sending?: Sending) => Promise<Response>;
  readonly open: (query: string, accept: string, sending?: Sending) => Promise<MultipartReader>;
}

/**
 * A gateway before the magazine graph, for all tests of a file. After each, slow subgraphs respond at once.
 *
 * @param heartbeatMs milliseconds of silence in a response after which something is sent; by default none is
 */
export function stageMagazine(heartbeatMs = 60_000): MagazineStage {
  let graph: MagazineGraph;
  let gateway: TestGateway;
  beforeAll(async () => {
    graph = await startMagazineGraph();
    gateway = await startTestGateway({
      subgraphs: graph.all,
      settings: `timeouts: { heartbeatMs: ${heartbeatMs}, subgraphMs: ${SUBGRAPH_MS} }`,
    });
  });
  afterAll(async () => {
    await gateway.close();
    await graph.close();
  });
  afterEach(() => {
    graph.reviewsGate.open();
    graph.statsGate.open();
  });
  const send = (query: string, sending: Sending = {}): Promise<Response> =>
    sendQuery(gateway, query, sending);
  return {
    get graph() {
      return graph;
    },
    get gateway() {
      return gateway;
    },
    send,
    open: async (query, accept, sending = {}) => readMultipart(await send(query, { ...sending, accept })),
  };
}
