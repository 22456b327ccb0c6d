import { startEventGraph } from '../../../src/testing/event-graph.ts';
import type { StormRequest, StormSubgraph } from './messages.ts';

// The subgraphs of the news desk in a process of their own: what they cost is not counted for anybody else.

/** Portions a second: events of a storm do not come all in one moment. */
const PORTIONS_PER_SECOND = 20;

const graph = await startEventGraph();
let timer: NodeJS.Timeout | undefined;
let published = 0;

process.on('message', ({ topics, perSecond }: StormRequest) => {
  clearInterval(timer);
  if (perSecond === 0) return;
  const portion = Math.max(1, Math.round((topics * perSecond) / PORTIONS_PER_SECOND));
  timer = setInterval(() => {
    for (let index = 0; index < portion; index += 1) {
      published += 1;
      graph.news.publish({ id: String(published), author: 'ada' }, `topic-${published % topics}`);
    }
  }, 1_000 / PORTIONS_PER_SECOND);
});

const subgraphs: readonly StormSubgraph[] = graph.all.map(({ name, url, typeDefs }) => ({
  name,
  url,
  typeDefs,
}));
process.send?.(subgraphs);
