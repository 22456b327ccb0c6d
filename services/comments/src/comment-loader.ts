import { orderByKey, parseId, type Page } from '@trellis/subgraph-kit';
import DataLoader from 'dataloader';
import type { AuthorPage, CommentStore, OfPost, PostPage } from './comment-store.ts';
import type { Comment } from './comment.ts';
import type { PostFinder } from './post-finder.ts';
import type { Viewer } from './viewer.ts';

/**
 * Reads comments, all of one level of a request in one statement. A malformed id is that of a post without comments, and so is one
 * that the viewer is denied, whatever a reference says of it.
 */
export interface CommentLoader {
  /** @returns null for what the viewer is denied and for an unknown id, and a malformed one is an unknown one */
  load(id: string): Promise<Comment | null>;
  /** See {@link PostPage}. */
  listByPost(postId: string, page: Page): Promise<readonly Comment[]>;
  /** Of what they have said on posts that the viewer may see. See {@link AuthorPage}. */
  listByAuthor(authorId: string, page: Page): Promise<readonly Comment[]>;
  countByPost(postId: string): Promise<number>;
  /** Forgets what was read: a mutation of the same request has changed something. */
  forget(): void;
}

/** What {@link createCommentLoader} reads with. */
export interface CommentSources {
  readonly store: CommentStore;
  /** Asked about posts that this service does not know to be visible: it may be the last to hear. */
  readonly postFinder: PostFinder;
}

/** Makes a loader for one request. */
export function createCommentLoader({ store, postFinder }: CommentSources, viewer: Viewer): CommentLoader {
  const isVisible = async (postId: string, { isShown }: OfPost<unknown>): Promise<boolean> =>
    isShown || (await postFinder.find(postId, viewer)) !== undefined;
  const listVisible = async (wanted: readonly PostPage[]): Promise<readonly (readonly Comment[])[]> => {
    const lists = await store.listByPosts(wanted, viewer);
    return Promise.all(
      wanted.map(async ({ postId }, index) => {
        const list = lists[index];
        return list && (await isVisible(postId, list)) ? list.comments : [];
      }),
    );
  };
  const countVisible = async (postIds: readonly string[]): Promise<readonly number[]> => {
    const counts = await store.countByPosts(postIds, viewer);
    return Promise.all(
      postIds.map(async (postId, index) => {
        const count = counts[index];
        return count && (await isVisible(postId, count)) ? count.count : 0;
      }),
    );
  };
  const comments = new DataLoader<string, Comment | null>(async (ids) =>
    orderByKey(ids, await store.findByIds(ids, viewer), ({ id }) => id),
  );
  const ofPosts = loadPages(listVisible, ({ postId }) => postId);
  const ofAuthors = loadPages<AuthorPage>(
    (wanted) => store.listByAuthors(wanted, viewer),
    ({ authorId }) => authorId,
  );
  const counts = new DataLoader<string, number>(countVisible);
  return {
    load: async (text) => {
      const id = parseId(text);
      return id === undefined ? null : comments.load(id);
    },
    forget: () => {
      comments.clearAll();
      ofPosts.clearAll();
      ofAuthors.clearAll();
      counts.clearAll();
    },
    listByPost: async (text, page) => {
      const postId = parseId(text);
      return postId === undefined ? [] : ofPosts.load({ ...page, postId });
    },
    listByAuthor: async (text, page) => {
      const authorId = parseId(text);
      return authorId === undefined ? [] : ofAuthors.load({ ...page, authorId });
    },
    countByPost: async (text) => {
      const postId = parseId(text);
      return postId === undefined ? 0 : counts.load(postId);
    },
  };
}

/** Pages of lists of comments; those that go the same way are read in one statement. */
interface PageLoader<Wanted> {
  load(page: Wanted): Promise<readonly Comment[]>;
  clearAll(): void;
}

function loadPages<Wanted extends Page>(
  list: (wanted: readonly Wanted[]) => Promise<readonly (readonly Comment[])[]>,
  ownerOf: (page: Wanted) => string,
): PageLoader<Wanted> {
  const going = (): DataLoader<Wanted, readonly Comment[], string> =>
    new DataLoader(list, {
      cacheKeyFn: (page) => `${ownerOf(page)} ${page.count} ${page.after} ${page.before}`,
    });
  const [forward, backward] = [going(), going()];
  return {
    load: (page) => (page.backward ? backward : forward).load(page),
    clearAll: () => {
      forward.clearAll();
      backward.clearAll();
    },
  };
}
