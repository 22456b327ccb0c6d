/** The columns of a post, named as the domain names them. */
export const POST_COLUMNS =
  'id, author_id AS "authorId", title, body, tags, metadata, published, updated_at AS "updatedAt"';

/** Those of {@link POST_COLUMNS} that are never null. */
export const NOT_NULL_POST_COLUMNS = [
  'id',
  'authorId',
  'title',
  'body',
  'tags',
  'published',
  'updatedAt',
] as const;
