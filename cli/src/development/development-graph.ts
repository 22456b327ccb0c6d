import type { SubgraphSchema } from '@trellis/composition';
import type { SubgraphFeed } from './subgraph-feed.ts';

/** A graph that is put together from a developer's subgraphs and the rest. */
export interface DevelopmentGraph {
  /** What is composed now, by name, each at its address. */
  subgraphs(): readonly SubgraphSchema[];
  /** Whether each of its parts was read at least once. */
  isComplete(): boolean;
  /** What can't be read now, one sentence each. */
  problems(): readonly string[];
  /** Reads all. */
  read(): Promise<void>;
  /** Calls back after each reading that has changed something. @returns ends it */
  watch(changed: () => void): () => void;
}

/** What {@link createDevelopmentGraph} is made of. */
export interface DevelopmentGraphOptions {
  readonly own: readonly SubgraphFeed[];
  /** Those of them that a developer has a subgraph for are not part of the graph. */
  readonly rest: readonly SubgraphFeed[];
  /** Where a subgraph is asked. */
  readonly urlOf: (subgraph: SubgraphSchema, isOwn: boolean) => string;
}

/** Puts it together. */
export function createDevelopmentGraph({ own, rest, urlOf }: DevelopmentGraphOptions): DevelopmentGraph {
  const feeds = [...own, ...rest];
  const names = new Set(own.map(({ name }) => name));
  const placed = (from: readonly SubgraphFeed[], isOwn: boolean): readonly SubgraphSchema[] =>
    from
      .flatMap((feed) => feed.schemas())
      .filter(({ name }) => isOwn || !names.has(name))
      .map((subgraph) => ({ ...subgraph, routingUrl: urlOf(subgraph, isOwn) }));
  return {
    subgraphs: () => [...placed(own, true), ...placed(rest, false)],
    isComplete: () => feeds.every((feed) => feed.schemas().length > 0),
    problems: () =>
      feeds.flatMap((feed) => {
        const problem = feed.problem();
        return problem === undefined ? [] : [`${feed.name}: ${problem}`];
      }),
    async read() {
      await Promise.all(feeds.map((feed) => feed.read()));
    },
    watch(changed) {
      const ends = feeds.map((feed) => watchFeed(feed, changed));
      return () => ends.forEach((end) => end());
    },
  };
}

/** One reading after the other; what changes while one is made is read after it. */
function watchFeed(feed: SubgraphFeed, changed: () => void): () => void {
  let isReading = false;
  let isDue = false;
  const over = new AbortController();
  const read = async (): Promise<void> => {
    isDue = true;
    if (isReading) return;
    isReading = true;
    while (isDue && !over.signal.aborted) {
      isDue = false;
      if ((await feed.read()) && !over.signal.aborted) changed();
    }
    isReading = false;
  };
  const end = feed.watch(() => void read());
  return () => {
    over.abort();
    end();
  };
}
