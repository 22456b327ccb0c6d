import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from './library-graph.ts';
import { startTestGateway, type TestGateway } from './test-gateway.ts';

/** What tests of what gateways make of their clients have in common. */
export interface LibraryStage {
  readonly graph: LibraryGraph;
  /** A gateway before the library graph, or before what is given, until the test has ended. */
  readonly start: (options: Partial<Parameters<typeof startTestGateway>[0]>) => Promise<TestGateway>;
}

/** The library graph for all tests of a file, and gateways before it, each for one test. */
export function stageLibrary(): LibraryStage {
  let graph: LibraryGraph;
  const running: TestGateway[] = [];
  beforeAll(async () => {
    graph = await startLibraryGraph();
  });
  afterAll(() => graph.close());
  beforeEach(() => graph.forget());
  afterEach(async () => {
    for (const gateway of running.splice(0)) await gateway.close();
  });
  return {
    get graph() {
      return graph;
    },
    async start(options) {
      const gateway = await startTestGateway({ subgraphs: graph.all, ...options });
      running.push(gateway);
      return gateway;
    },
  };
}
