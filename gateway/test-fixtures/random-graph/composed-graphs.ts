import { composeGraph } from '../synthetic/start-graph.ts';
import type { Random } from '@trellis/testkit/random';
import type { GraphDefinition } from '../synthetic/subgraph-definition.ts';
import { randomGraph } from './random-graph.ts';

/** Random graphs that compose, and how many do not. */
export interface ComposedGraphs {
  readonly graphs: readonly GraphDefinition[];
  readonly discarded: number;
}

/** Makes random graphs until so many compose. @throws Error where more than half do not: then something else is wrong */
export function composedGraphs(random: Random, count: number): ComposedGraphs {
  const graphs: GraphDefinition[] = [];
  let discarded = 0;
  while (graphs.length < count) {
    const graph = randomGraph(random, `random-${graphs.length + discarded}`);
    const problem = problemOf(graph);
    if (problem === undefined) graphs.push(graph);
    else discarded += 1;
    if (discarded > count + 5) throw new Error(`${discarded} of the graphs do not compose: ${problem}`);
  }
  return { graphs, discarded };
}

function problemOf(graph: GraphDefinition): string | undefined {
  try {
    composeGraph(graph, (name) => `http://${name}.example/`);
    return undefined;
  } catch (error) {
    return String(error);
  }
}
