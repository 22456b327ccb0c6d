/** The columns of a post, named as the domain names them. */
export const POST_COLUMNS =
  'id, author_id AS "authorId", title, body, tags, metadata, published, updated_at AS "updatedAt"';
