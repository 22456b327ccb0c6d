export {
  COMMENT_DELETED,
  COMMENT_SAVED,
  commentDeleted,
  commentSaved,
  type CommentDeleted,
  type CommentSaved,
} from './comment-events.ts';
export {
  POST_DELETED,
  POST_SAVED,
  postDeleted,
  postSaved,
  type PostDeleted,
  type PostSaved,
} from './post-events.ts';
export { USER_SAVED, userSaved, type UserSaved } from './user-events.ts';
