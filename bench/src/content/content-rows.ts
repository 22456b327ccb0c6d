import { createRandom, type Random } from '@trellis/demo-data';
import { v7 } from 'uuid';
import { createVocabulary, type Vocabulary } from './vocabulary.ts';

/** How much content there is to be. */
export interface ContentSize {
  readonly users: number;
  readonly posts: number;
  readonly comments: number;
}

/** Rows in the text format of COPY, a line each, the columns in the order of {@link columns}. */
export interface ContentRows {
  users(): Iterable<string>;
  posts(): Iterable<string>;
  /** What the comments service knows of posts. */
  knownPosts(): Iterable<string>;
  comments(): Iterable<string>;
}

/** The columns of each kind of rows. */
export const columns = {
  users: 'profile (id, name, role, created_at)',
  posts: 'post (id, author_id, title, body, tags, published, updated_at)',
  knownPosts: 'known_post (id, author_id, published)',
  comments: 'comment (id, post_id, author_id, body, edited)',
} as const;

/** Users come first, then their posts, then the comments, each kind in a year of its own. */
const BEGIN_MS = Date.UTC(2022, 0, 1);
const YEAR_MS = 365 * 86_400_000;
/** Of random shares of all, the power makes the first authors and posts hot: with 100,000 authors the first writes 2 % of all. */
const [AUTHOR_SKEW, POST_SKEW] = [3, 2];
const DRAFTS = 0.05;
const EDITED = 0.05;
const SENTENCES_EACH = 4;

interface PostKey {
  readonly id: string;
  readonly authorId: string;
  readonly published: boolean;
}

/**
 * Makes up content, the same for the same seed. A few authors write much, a few posts have many comments, most have few.
 *
 * @param seed where the random choices begin
 */
export function createContentRows(size: ContentSize, seed: number): ContentRows {
  const random = createRandom(seed);
  const vocabulary = createVocabulary(random);
  const userIds = Array.from({ length: size.users }, (_, index) =>
    idAt(momentOf(0, index, size.users), random),
  );
  const posts = Array.from({ length: size.posts }, (_, index): PostKey => ({
    id: idAt(momentOf(1, index, size.posts), random),
    authorId: skewed(userIds, AUTHOR_SKEW, random),
    published: !random.chance(DRAFTS),
  }));
  const byHeat = shuffled(posts, random);
  return {
    users: () => userRows(userIds),
    posts: () => postRows(posts, vocabulary, random),
    knownPosts: () => knownPostRows(posts),
    comments: () => commentRows(size.comments, userIds, byHeat, vocabulary, random),
  };
}

function* userRows(ids: readonly string[]): Iterable<string> {
  for (const [index, id] of ids.entries())
    yield row(id, `User ${index + 1}`, 'VIEWER', momentOf(0, index, ids.length).toISOString());
}

function* postRows(posts: readonly PostKey[], vocabulary: Vocabulary, random: Random): Iterable<string> {
  for (const [index, { id, authorId, published }] of posts.entries()) {
    const body = Array.from({ length: SENTENCES_EACH }, () => vocabulary.sentence(random)).join(' ');
    const updatedAt = momentOf(1, index, posts.length).toISOString();
    yield row(id, authorId, vocabulary.sentence(random), body, '{loaded}', published, updatedAt);
  }
}

function* knownPostRows(posts: readonly PostKey[]): Iterable<string> {
  for (const { id, authorId, published } of posts) yield row(id, authorId, published);
}

function* commentRows(
  count: number,
  userIds: readonly string[],
  byHeat: readonly PostKey[],
  vocabulary: Vocabulary,
  random: Random,
): Iterable<string> {
  for (let index = 0; index < count; index += 1) {
    const id = idAt(momentOf(2, index, count), random);
    const { id: postId } = skewed(byHeat, POST_SKEW, random);
    const authorId = skewed(userIds, AUTHOR_SKEW, random);
    yield row(id, postId, authorId, vocabulary.sentence(random), random.chance(EDITED));
  }
}

/** None of the values has a character that COPY reads otherwise than as itself. */
function row(...values: readonly (string | boolean)[]): string {
  return `${values.join('\t')}\n`;
}

/** A moment of a year, the later the greater the index. */
function momentOf(year: number, index: number, count: number): Date {
  return new Date(BEGIN_MS + year * YEAR_MS + Math.floor((index / count) * YEAR_MS));
}

function idAt(moment: Date, random: Random): string {
  const bytes = Uint8Array.from({ length: 16 }, () => random.below(256));
  return v7({ msecs: moment.getTime(), random: bytes });
}

/** One of the first of a list far more often than one of the last. */
function skewed<Item>(items: readonly Item[], power: number, random: Random): Item {
  const share = (random.below(2 ** 30) / 2 ** 30) ** power;
  return items[Math.floor(share * items.length)] as Item; // the share is less than 1, and no list is empty
}

/** In random order (Fisher and Yates). */
function shuffled<Item>(items: readonly Item[], random: Random): readonly Item[] {
  const result = [...items];
  for (let index = result.length - 1; index > 0; index -= 1) {
    const other = random.below(index + 1);
    [result[index], result[other]] = [result[other] as Item, result[index] as Item]; // both are within the list
  }
  return result;
}
