import type { ComparableGraph } from '../compare-graphs.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { CoordinateIndex } from '../locate-coordinate.ts';
import { lintRules } from './lint-rules.ts';

/** Looks at a whole graph for what its schemas do not show one by one. */
export function lintGraph(
  { apiSchema, meaning, supergraph }: ComparableGraph,
  slicingArguments: readonly string[],
  places: CoordinateIndex,
): readonly Diagnostic[] {
  const graph = { apiSchema, meaning, structure: supergraph.structure, slicingArguments };
  return lintRules.flatMap(({ code, action, run }) =>
    run(graph).map(({ coordinate, message }) => ({
      code,
      message: `${message} ${action}`,
      locations: places.locate(coordinate),
    })),
  );
}
