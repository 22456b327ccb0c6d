import { createLogger, type Environment } from '@trellis/runtime';
import { comments, createCommentStore } from '@trellis/comments';
import { createDemoContent } from '@trellis/demo-data';
import { createPostStore, posts } from '@trellis/posts';
import { createProfileStore, users } from '@trellis/users';
import type { Prefix } from '../programs.ts';
import type { PlatformConfig } from './environment-table.ts';

/** What {@link fillDemoContent} needs to know. */
export interface DemoContentOptions {
  readonly config: Pick<PlatformConfig, 'LOG_LEVEL'>;
  readonly environments: Readonly<Record<Prefix, Environment>>;
  /** Prints a line for each service that could not be filled. */
  readonly print: (line: string) => void;
}

/**
 * Fills the empty tables of users, posts and comments, before the subgraphs start: what is in them is in the first search index. A
 * service whose database is unavailable does not keep the rest from it; the next start fills what is empty then.
 */
export async function fillDemoContent({ config, environments, print }: DemoContentOptions): Promise<void> {
  const content = createDemoContent();
  const resources = (service: string) => ({ logger: createLogger({ service, level: config.LOG_LEVEL }) });
  const fillings: readonly (readonly [string, () => Promise<void>])[] = [
    [
      users.service,
      () =>
        users.prepare(users.readConfig(environments.USERS), resources(users.service), (pool) =>
          createProfileStore(pool).seed(content.users),
        ),
    ],
    [
      posts.service,
      () =>
        posts.prepare(posts.readConfig(environments.POSTS), resources(posts.service), (pool) =>
          createPostStore(pool).seed(content.posts),
        ),
    ],
    [
      comments.service,
      () =>
        comments.prepare(comments.readConfig(environments.COMMENTS), resources(comments.service), (pool) =>
          createCommentStore(pool).seed(content.comments),
        ),
    ],
  ];
  await Promise.all(
    fillings.map(([service, fill]) =>
      fill().catch((error: unknown) => print(`  ${service} has no demo data yet: ${String(error)}`)),
    ),
  );
}
