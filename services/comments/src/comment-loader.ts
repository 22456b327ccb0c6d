import { orderByKey, parseId } from '@trellis/subgraph-kit';
import DataLoader from 'dataloader';
import type { CommentStore, PostPage } from './comment-store.ts';
import type { Comment } from './comment.ts';
import type { Viewer } from './viewer.ts';

/** Reads comments, all of one level of a request in one statement. A malformed id is that of a post without comments. */
export interface CommentLoader {
  /** @returns null for what the viewer may not see and for an unknown id, and a malformed one is an unknown one */
  load(id: string): Promise<Comment | null>;
  listByPost(page: PostPage): Promise<readonly Comment[]>;
  countByPost(postId: string): Promise<number>;
  /** Forgets what was read: a mutation of the same request has changed something. */
  forget(): void;
}

/** Makes a loader for one request. */
export function createCommentLoader(store: CommentStore, viewer: Viewer): CommentLoader {
  const comments = new DataLoader<string, Comment | null>(async (ids) =>
    orderByKey(ids, await store.findByIds(ids, viewer), ({ id }) => id),
  );
  const pages = new DataLoader<PostPage, readonly Comment[], string>((wanted) => store.listByPosts(wanted), {
    cacheKeyFn: ({ postId, limit, after }) => `${postId} ${limit} ${after}`,
  });
  const counts = new DataLoader<string, number>((postIds) => store.countByPosts(postIds));
  return {
    load: async (text) => {
      const id = parseId(text);
      return id === undefined ? null : comments.load(id);
    },
    forget: () => {
      comments.clearAll();
      pages.clearAll();
      counts.clearAll();
    },
    listByPost: async (page) => {
      const postId = parseId(page.postId);
      return postId === undefined ? [] : pages.load({ ...page, postId });
    },
    countByPost: async (text) => {
      const postId = parseId(text);
      return postId === undefined ? 0 : counts.load(postId);
    },
  };
}
