import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startCatalogueGraph, type CatalogueGraph } from './catalogue-graph.ts';
import { createGate, type Gate } from './gate.ts';
import { readMultipart, type MultipartReader } from './multipart-reader.ts';
import { sendQuery, type Sending } from './send-query.ts';
import type { SubgraphServer } from './subgraph-server.ts';
import { startTestGateway, type TestGateway } from './test-gateway.ts';

/** What tests of streamed lists have in common. */
export interface CatalogueStage {
  readonly catalogue: SubgraphServer;
  readonly prices: SubgraphServer;
  readonly gateway: TestGateway;
  /** Open after each test. */
  readonly gate: Gate;
  /** Ids of products that prices fails on, until the test has ended. */
  readonly failing: Set<string>;
  readonly open: (query: string, accept: string, sending?: Sending) => Promise<MultipartReader>;
  /** How many products prices was asked about, by request. */
  readonly asked: () => readonly number[];
}

/** A gateway before the catalogue graph, for all tests of a file. */
export function stageCatalogue(): CatalogueStage {
  const gate = createGate();
  const failing = new Set<string>();
  let graph: CatalogueGraph;
  let gateway: TestGateway;
  beforeAll(async () => {
    graph = await startCatalogueGraph({ pass: () => gate.pass(), failing });
    gateway = await startTestGateway({ subgraphs: [graph.catalogue, graph.prices] });
  });
  afterAll(async () => {
    await gateway.close();
    await graph.close();
  });
  beforeEach(() => {
    graph.catalogue.forget();
    graph.prices.forget();
  });
  afterEach(() => {
    gate.open();
    failing.clear();
  });
  return {
    get catalogue() {
      return graph.catalogue;
    },
    get prices() {
      return graph.prices;
    },
    get gateway() {
      return gateway;
    },
    gate,
    failing,
    open: async (query, accept, sending = {}) =>
      readMultipart(await sendQuery(gateway, query, { ...sending, accept })),
    asked: () =>
      graph.prices.received.map(({ variables }) => (variables['representations'] as unknown[]).length),
  };
}
