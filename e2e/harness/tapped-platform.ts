import { join } from 'node:path';
import { createTemporaryDirectory, createTestDatabase, startTestRedis } from '@trellis/testkit';
import { addressesOf, choosePorts, startPlatform, type PlatformProcess } from './platform-process.ts';
import { tapPostgres, type PostgresTap } from './postgres-tap.ts';
import { tapSubgraph, type SubgraphTap } from './subgraph-tap.ts';

/** A platform on a PostgreSQL and a Redis of others, whose insides can be watched and broken. */
export interface TappedPlatform extends PlatformProcess {
  readonly taps: Readonly<Record<'users' | 'posts' | 'comments', SubgraphTap>>;
  readonly postgres: PostgresTap;
  /** Forgets what went through any tap. */
  forget(): void;
  /** Requests to subgraphs since then. */
  subgraphRequests(): number;
  /** Ends the platform and all that it stood on. */
  close(): Promise<void>;
}

/** Starts it, after `prepare` has had its way with the taps. */
export async function startTappedPlatform(
  prepare: (taps: TappedPlatform['taps']) => Promise<void> = () => Promise.resolve(),
): Promise<TappedPlatform> {
  const directory = createTemporaryDirectory();
  const database = await createTestDatabase();
  const redis = await startTestRedis();
  const postgres = await tapPostgres(database.connectionString);
  const ports = await choosePorts();
  const taps = await tapAll(addressesOf(ports).subgraphs);
  await prepare(taps);
  const platform = await startPlatform({
    dataDirectory: join(directory.path, 'data'),
    ports,
    environment: {
      DATABASE_URL: postgres.connectionString,
      REDIS_URL: redis.url,
      GATEWAY_SUBGRAPH_URLS: Object.entries(taps)
        .map(([name, { url }]) => `${name}=${url}`)
        .join(' '),
    },
  });
  const all = Object.values(taps);
  return {
    ...platform,
    taps,
    postgres,
    forget: () => [postgres, ...all].forEach((tap) => tap.forget()),
    subgraphRequests: () => all.reduce((sum, { requests }) => sum + requests.length, 0),
    close: async () => {
      await platform.stop();
      await Promise.all([...all.map((tap) => tap.close()), postgres.close(), redis.stop()]);
      await database.drop();
      directory.remove();
    },
  };
}

type Addresses = ReturnType<typeof addressesOf>['subgraphs'];

async function tapAll({ users, posts, comments }: Addresses): Promise<TappedPlatform['taps']> {
  return {
    users: await tapSubgraph(`${users}/graphql`),
    posts: await tapSubgraph(`${posts}/graphql`),
    comments: await tapSubgraph(`${comments}/graphql`),
  };
}
