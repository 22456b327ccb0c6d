import type { Background } from '@trellis/events';
import { startWritingTasks, type BackgroundDependencies, type SubgraphConfig } from '@trellis/subgraph-kit';

/** Starts what runs beside the requests: the relay, and the end of kept answers. */
export function startBackground(dependencies: BackgroundDependencies<SubgraphConfig>): readonly Background[] {
  return startWritingTasks(dependencies, 'users');
}
