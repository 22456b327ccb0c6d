import { it, expect } from 'vitest';
import { startGraph } from '../test-fixtures/synthetic/start-graph.ts';
import { createRandom } from '../test-fixtures/synthetic/hash.ts';
import { randomOperation } from '../test-fixtures/synthetic/random-operation.ts';
import { executeFederated, difference } from '../test-fixtures/synthetic/compare.ts';
import { shop } from '../test-fixtures/graphs/shop.ts';
import { createOperationPlanner } from './planning/plan-operation.ts';
import { createSubgraphClient } from './execution/subgraph-client.ts';
it('fuzz', async () => {
  const graph = await startGraph(shop);
  const engine = { planner: createOperationPlanner(), subgraphClient: createSubgraphClient() };
  const random = createRandom(Number(process.env.SEED ?? 1));
  let bad = 0,
    n = 0,
    nonnull = 0;
  const N = Number(process.env.N ?? 100);
  const t0 = Date.now();
  for (let i = 0; i < N; i++) {
    const op = randomOperation(graph.supergraph.schema, random, {
      maxDepth: 4,
      defer: false,
      root: random.chance(10) ? 'mutation' : 'query',
    });
    const whole = await graph.executeWhole(op.document, op.variables);
    for (const s of graph.servers.values()) s.requests.length = 0;
    let diff;
    try {
      const r = await executeFederated(engine, graph, op);
      diff = difference(r, whole);
      if (JSON.stringify(r.data).length > 100) nonnull++;
    } catch (e) {
      diff = String(e.stack) + (e.originalError?.stack ?? '');
    }
    n++;
    if (diff && bad++ < Number(process.env.SHOW ?? 3)) {
      console.log(op.text, JSON.stringify(op.variables));
      for (const [n, s] of graph.servers)
        console.log(
          n,
          s.requests.map((x) => x.query + JSON.stringify(x.variables)),
        );
      console.log(diff.slice(0, 3000));
    }
  }
  console.log({ n, bad, nonnull, ms: Date.now() - t0 });
  await engine.subgraphClient.close();
  await graph.close();
}, 600000);
