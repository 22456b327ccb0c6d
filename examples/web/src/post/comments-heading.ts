/** The id of the heading above the comments. */
export const COMMENTS_HEADING = 'comments';
