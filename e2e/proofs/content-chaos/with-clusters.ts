import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@trellis/dev-stores';
import { createTemporaryDirectory, freePorts } from '@trellis/testkit';

/** A PostgreSQL that no one else uses. */
export interface Cluster {
  readonly url: string;
  readonly dataDirectory: string;
}

/**
 * Starts a PostgreSQL for each name, all at the same time, and ends them. One that dies is started again: at its port, which
 * no one is given by chance meanwhile.
 */
export async function withClusters<Name extends string, Result>(
  names: readonly Name[],
  work: (clusters: Readonly<Record<Name, Cluster>>) => Promise<Result>,
): Promise<Result> {
  const directory = createTemporaryDirectory();
  const running: EmbeddedPostgres[] = [];
  const ports = await freePorts(names.length);
  const start = async (name: Name, index: number): Promise<readonly [Name, Cluster]> => {
    const cluster = join(directory.path, name);
    const postgres = await startEmbeddedPostgres({
      directory: cluster,
      port: ports[index] ?? 0,
      onFailedRestart: (error) =>
        process.stderr.write(`${name} could not be started again: ${String(error)}\n`),
    });
    running.push(postgres);
    return [name, { url: postgres.connectionString, dataDirectory: join(cluster, 'data') }];
  };
  try {
    const starting = names.map(start);
    await Promise.allSettled(starting); // what has started by then is ended, also when another could not
    const clusters = await Promise.all(starting);
    return await work(Object.fromEntries(clusters) as Record<Name, Cluster>); // one entry for each
  } finally {
    await Promise.all(running.map((postgres) => postgres.stop()));
    directory.remove();
  }
}
