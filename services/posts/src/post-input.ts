import { badUserInput } from '@trellis/subgraph-protocol';
import { readJson, readText, type JsonValue } from '@trellis/subgraph-kit';
import type { CreatePostInput, UpdatePostInput } from './generated/resolver-types.ts';

/** What a post says, checked. */
export interface PostContent {
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  readonly metadata: JsonValue;
}

/** A post to be made. */
export interface NewPost extends PostContent {
  /** Undefined: now. */
  readonly publishedAt: Date | undefined;
}

/** What is to become of a post. What is absent stays. */
export interface PostChange extends Partial<PostContent> {
  readonly published?: boolean;
  readonly expectedUpdatedAt?: Date;
}

const MAX_TITLE_LENGTH = 200;
const MAX_BODY_LENGTH = 100_000;
const MAX_TAGS = 20;
const MAX_TAG_LENGTH = 50;
const MAX_METADATA_BYTES = 16_384;

/** @throws GraphQLError BAD_USER_INPUT naming the first field that is not acceptable */
export function readNewPost(input: CreatePostInput): NewPost {
  return {
    title: readTitle(input.title),
    body: readBody(input.body),
    tags: readTags(input.tags ?? []),
    metadata: readMetadata(input.metadata ?? null),
    publishedAt: input.publishedAt ?? undefined,
  };
}

/** @throws GraphQLError BAD_USER_INPUT naming the first field that is not acceptable */
export function readPostChange(input: UpdatePostInput): PostChange {
  return {
    ...changed('title', input.title, readTitle),
    ...changed('body', input.body, readBody),
    ...changed('tags', input.tags, readTags),
    ...changed('published', input.published, (published) => published),
    ...changed('expectedUpdatedAt', input.expectedUpdatedAt, (time) => time),
    ...(input.metadata !== undefined && { metadata: readMetadata(input.metadata) }),
  };
}

/** A field of a post that can't be null can't be set to null either. */
function changed<Name extends keyof UpdatePostInput, Sent, Read>(
  name: Name,
  value: Sent | null | undefined,
  read: (value: Sent) => Read,
): { readonly [Key in Name]?: Read } {
  if (value === undefined) return {};
  if (value === null) throw badUserInput(`"input.${name}" must not be null.`, `input.${name}`, value);
  return { [name]: read(value) } as { readonly [Key in Name]?: Read }; // a computed key widens to string
}

function readTitle(title: string): string {
  return readText('input.title', title, { maxLength: MAX_TITLE_LENGTH });
}

function readBody(body: string): string {
  return readText('input.body', body, { maxLength: MAX_BODY_LENGTH, multiline: true });
}

function readTags(tags: readonly string[]): readonly string[] {
  const different = [...new Set(tags)];
  if (different.length > MAX_TAGS) {
    throw badUserInput(`"input.tags" must have at most ${MAX_TAGS} different tags.`, 'input.tags', tags);
  }
  return different.map((tag) => readText('input.tags', tag, { maxLength: MAX_TAG_LENGTH }));
}

function readMetadata(metadata: JsonValue): JsonValue {
  return readJson('input.metadata', metadata, { maxBytes: MAX_METADATA_BYTES });
}
