import { composeContracts, printApiSchema } from '@trellis/composition';
import { checkGraphs, type GraphChange } from '../supergraph/check-graphs.ts';
import { readServedGraph } from '../supergraph/served-graph.ts';
import { guardRelease } from './guard-release.ts';

/**
 * What is judged of a release, and takes long. Each takes data and returns data, so that a process that serves can have it done in a
 * thread.
 */
export interface ReleaseJudge {
  readonly checkGraphs: (change: GraphChange) => ReturnType<typeof checkGraphs>;
  readonly guardRelease: typeof guardRelease;
  readonly composeContracts: (
    ...given: Parameters<typeof composeContracts>
  ) => Promise<ReturnType<typeof composeContracts>>;
  readonly printServedApi: typeof printServedApi;
}

/** Judges on the thread that calls. */
export const judgements: ReleaseJudge = {
  checkGraphs: (change) => checkGraphs(change),
  guardRelease,
  composeContracts: async (...given) => composeContracts(...given),
  printServedApi,
};

/** What clients are shown of a supergraph that was composed here. */
async function printServedApi(supergraphSdl: string, limits: string | undefined): Promise<string> {
  return printApiSchema(readServedGraph(supergraphSdl, limits, true).comparable.apiSchema);
}
