import { orderByKey, parseId, type Page } from '@trellis/subgraph-kit';
import DataLoader from 'dataloader';
import type { AuthorPage, PostStore } from './post-store.ts';
import type { Post, Viewer } from './post.ts';

/** Reads posts for one viewer, all of one level of a request in one statement. */
export interface PostLoader {
  /** @returns null for what the viewer is denied and for an unknown id, and a malformed one is an unknown one */
  load(id: string): Promise<Post | null>;
  /** See {@link PostStore.list}. */
  list(page: Page): Promise<readonly Post[]>;
  /** An unknown author has no posts. */
  listByAuthor(authorId: string, page: Page): Promise<readonly Post[]>;
  /** Forgets what was read: a mutation of the same request has changed something. */
  forget(): void;
}

/** Makes a loader for one request. */
export function createPostLoader(store: PostStore, viewer: Viewer): PostLoader {
  const posts = new DataLoader<string, Post | null>(async (ids) =>
    orderByKey(ids, await store.findByIds(ids, viewer), ({ id }) => id),
  );
  const pagesGoing = (): DataLoader<AuthorPage, readonly Post[], string> =>
    new DataLoader((wanted) => store.listByAuthors(wanted, viewer), {
      cacheKeyFn: ({ authorId, count, after, before }) => `${authorId} ${count} ${after} ${before}`,
    });
  const pages = { forward: pagesGoing(), backward: pagesGoing() };
  return {
    load: async (text) => {
      const id = parseId(text);
      return id === undefined ? null : posts.load(id);
    },
    list: (page) => store.list(page, viewer),
    listByAuthor: async (text, page) => {
      const authorId = parseId(text);
      return authorId === undefined
        ? []
        : pages[page.backward ? 'backward' : 'forward'].load({ ...page, authorId });
    },
    forget: () => {
      posts.clearAll();
      pages.forward.clearAll();
      pages.backward.clearAll();
    },
  };
}
