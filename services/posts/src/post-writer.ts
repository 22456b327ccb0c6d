import { isDeepStrictEqual } from 'node:util';
import { badUserInput, forbidden } from '@trellis/subgraph-protocol';
import type { Transaction } from '@trellis/postgres';
import { createId, parseId, timeOfId } from '@trellis/subgraph-kit';
import type { NewPost, PostChange } from './post-input.ts';
import { postRecords, type LockedPost, type PostState } from './post-records.ts';
import { publishDeleted, publishSaved } from './publish-post.ts';
import { seesDraftsOf, type Post, type Writer } from './post.ts';

/** What came of making a post. */
export interface CreatedPost {
  readonly post: Post;
  /** False when the author had made it before: `post` is that one. */
  readonly created: boolean;
}

/** @throws GraphQLError FORBIDDEN for anybody but editors and administrators */
export function requireAuthorship(writer: Writer): void {
  if (!writer.seesAllDrafts) throw forbidden('Only editors and administrators create posts.');
}

/**
 * Makes a post, published now or when its time comes. The same words of the same author are one post, however many requests
 * bring them at the same time.
 */
export async function createPost(
  transaction: Transaction,
  writer: Writer,
  { publishedAt, ...content }: NewPost,
): Promise<CreatedPost> {
  const records = postRecords(transaction);
  const same = await records.findSameContent(writer.userId, content);
  if (same) return { post: same, created: false };
  const id = createId();
  const publishAt = publishedAt && publishedAt > timeOfId(id) ? publishedAt : null;
  const post = await records.insert({
    ...content,
    id,
    authorId: writer.userId,
    published: publishAt === null,
    publishAt,
  });
  await publishSaved(transaction, post, post.published);
  return { post, created: true };
}

/**
 * Changes a post. A change that changes nothing leaves `updatedAt` alone and publishes no event.
 *
 * @returns null when there is none that the writer may see
 * @throws GraphQLError FORBIDDEN when it is another's; BAD_USER_INPUT when it has changed since `expectedUpdatedAt`
 */
export async function updatePost(
  transaction: Transaction,
  writer: Writer,
  id: string,
  { expectedUpdatedAt, ...change }: PostChange,
): Promise<Post | null> {
  const records = postRecords(transaction);
  const before = await lockForWriting(transaction, writer, id);
  if (!before) return null;
  if (expectedUpdatedAt && expectedUpdatedAt.getTime() !== before.updatedAt.getTime()) {
    throw staleVersion(expectedUpdatedAt);
  }
  const state = changedState(before, change);
  if (isSameState(before, state)) return before;
  const after = await records.update(before.id, state);
  await publishSaved(transaction, after, after.published && !before.published);
  return after;
}

/**
 * Deletes a post.
 *
 * @returns whether there was one that the writer may see
 * @throws GraphQLError FORBIDDEN when it is another's
 */
export async function deletePost(transaction: Transaction, writer: Writer, id: string): Promise<boolean> {
  const post = await lockForWriting(transaction, writer, id);
  if (!post) return false;
  await postRecords(transaction).remove(post.id);
  await publishDeleted(transaction, post.id);
  return true;
}

/**
 * Publishes drafts whose time has come.
 *
 * @param limit how many at most
 * @returns how many there were
 */
export async function publishDuePosts(transaction: Transaction, limit: number): Promise<number> {
  const posts = await postRecords(transaction).publishDue(limit);
  for (const post of posts) await publishSaved(transaction, post, true);
  return posts.length;
}

async function lockForWriting(
  transaction: Transaction,
  writer: Writer,
  text: string,
): Promise<LockedPost | undefined> {
  const id = parseId(text);
  const post = id === undefined ? undefined : await postRecords(transaction).lock(id, writer);
  if (post && !seesDraftsOf(writer, post.authorId))
    throw forbidden('Only its author and editors change a post.');
  return post;
}

/** To say whether everybody may see it overrules what was planned; nothing else does. */
function changedState(before: LockedPost, change: Omit<PostChange, 'expectedUpdatedAt'>): PostState {
  return {
    title: change.title ?? before.title,
    body: change.body ?? before.body,
    tags: change.tags ?? before.tags,
    metadata: change.metadata === undefined ? before.metadata : change.metadata,
    published: change.published ?? before.published,
    publishAt: change.published === undefined ? before.publishAt : null,
  };
}

function isSameState(before: LockedPost, state: PostState): boolean {
  const picked = ({ title, body, tags, metadata, published, publishAt }: PostState): unknown =>
    JSON.parse(JSON.stringify([title, body, tags, metadata, published, publishAt]));
  return isDeepStrictEqual(picked(before), picked(state));
}

function staleVersion(expected: Date): Error {
  const field = 'input.expectedUpdatedAt';
  return badUserInput('The post has changed since. Read it again.', field, expected.toISOString());
}
