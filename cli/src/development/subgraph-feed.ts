import {
  loadSubgraphSchema,
  subgraphsOf,
  type Release,
  type SubgraphConfig,
  type SubgraphSchema,
} from '@trellis/composition';
import { fileFailure } from '@trellis/runtime/file-failure';
import { stampFile, watchFile } from '@trellis/runtime/watch-file';

/** Subgraphs whose schemas change while a graph is developed. */
export interface SubgraphFeed {
  /** Its subgraph, or whose graph it is: for messages. */
  readonly name: string;
  /** What was read last; empty before the first reading. */
  readonly schemas: () => readonly SubgraphSchema[];
  /** Why it can't be read now; undefined where it can. The schemas before stay. */
  readonly problem: () => string | undefined;
  /** Reads again. @returns whether something has changed */
  read(): Promise<boolean>;
  /** Calls back when reading again is worthwhile. @returns ends it */
  watch(changed: () => void): () => void;
}

/** A save is noticed within this. */
const FILE_POLL_MS = 20;
const SUBGRAPH_POLL_MS = 1_000;
const GRAPH_POLL_MS = 10_000;
const TIMEOUT_MS = 5_000;

/** Follows a file, or what a running subgraph says of itself. */
export function followSubgraph(subgraph: SubgraphConfig): SubgraphFeed {
  const { schema } = subgraph;
  return createFeed(
    subgraph.name,
    async () => [await loadSubgraphSchema(subgraph, { timeoutMs: TIMEOUT_MS })],
    (changed) => {
      if (schema.kind === 'text') return () => undefined;
      return schema.kind === 'file'
        ? watchFile(stampFile(schema.file), changed, FILE_POLL_MS)
        : every(SUBGRAPH_POLL_MS, changed);
    },
  );
}

/**
 * Follows a graph that is composed elsewhere.
 *
 * @param file where it is a file
 */
export function followGraph(
  name: string,
  read: () => Promise<Release>,
  file: string | undefined,
): SubgraphFeed {
  return createFeed(
    name,
    async () => subgraphsOf(await read()),
    (changed) =>
      file === undefined ? every(GRAPH_POLL_MS, changed) : watchFile(stampFile(file), changed, FILE_POLL_MS),
  );
}

function createFeed(
  name: string,
  load: () => Promise<readonly SubgraphSchema[]>,
  watch: SubgraphFeed['watch'],
): SubgraphFeed {
  let known: readonly SubgraphSchema[] = [];
  let problem: string | undefined;
  return {
    name,
    watch,
    schemas: () => known,
    problem: () => problem,
    async read() {
      const before = JSON.stringify({ known, problem });
      try {
        known = await load();
        problem = undefined;
      } catch (error) {
        problem = error instanceof Error ? fileFailure(error) : String(error);
      }
      return before !== JSON.stringify({ known, problem });
    },
  };
}

function every(pollMs: number, changed: () => void): () => void {
  const timer = setInterval(changed, pollMs);
  return () => clearInterval(timer);
}
