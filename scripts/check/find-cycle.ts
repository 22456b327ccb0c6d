/** A step of a cycle: a node, and its edge to the next one. */
export interface CycleStep<Edge> {
  readonly node: string;
  readonly edge: Edge;
}

/** Finds one cycle of a directed graph, in the order of its edges; undefined when there is none. */
export function findCycle<Edge>(
  graph: ReadonlyMap<string, ReadonlyMap<string, Edge>>,
): readonly CycleStep<Edge>[] | undefined {
  const done = new Set<string>();
  const path: CycleStep<Edge>[] = [];
  const visit = (node: string): readonly CycleStep<Edge>[] | undefined => {
    const start = path.findIndex((step) => step.node === node);
    if (start !== -1) return path.slice(start);
    if (done.has(node)) return undefined;
    for (const [next, edge] of graph.get(node) ?? []) {
      path.push({ node, edge });
      const cycle = visit(next);
      if (cycle !== undefined) return cycle;
      path.pop();
    }
    done.add(node);
    return undefined;
  };
  for (const node of [...graph.keys()].toSorted()) {
    const cycle = visit(node);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
