import { parseId } from '@trellis/subgraph-kit';
import DataLoader from 'dataloader';
import type { CommentStore, PostPage } from './comment-store.ts';
import type { Comment } from './comment.ts';

/** Reads comments, all of one level of a request in one statement. A malformed id is that of a post without comments. */
export interface CommentLoader {
  listByPost(page: PostPage): Promise<readonly Comment[]>;
  countByPost(postId: string): Promise<number>;
}

/** Makes a loader for one request. */
export function createCommentLoader(store: CommentStore): CommentLoader {
  const pages = new DataLoader<PostPage, readonly Comment[], string>((wanted) => store.listByPosts(wanted), {
    cacheKeyFn: ({ postId, limit, after }) => `${postId} ${limit} ${after}`,
  });
  const counts = new DataLoader<string, number>((postIds) => store.countByPosts(postIds));
  return {
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
