/** The columns of a comment, named as the domain names them. */
export const COMMENT_COLUMNS =
  'comment.id, comment.post_id AS "postId", comment.author_id AS "authorId", comment.body, comment.edited';
