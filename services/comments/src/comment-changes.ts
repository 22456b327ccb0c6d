import { COMMENT_DELETED, COMMENT_SAVED, commentDeleted, commentSaved } from '@trellis/content-events';
import type { SequencedEvent } from '@trellis/events';
import type { EntityChange } from '@trellis/subgraph-kit';

/** What responses show otherwise since an event: the comment, and where there is one more or less, what its post says of comments. */
export function changesOf({ type, subject, payload }: SequencedEvent): readonly EntityChange[] {
  const comment = { type: 'TextComment', id: subject };
  if (type === COMMENT_DELETED) return [comment, post(commentDeleted.parse(payload))];
  if (type !== COMMENT_SAVED) return [];
  const saved = commentSaved.parse(payload);
  return saved.announced ? [comment, post(saved)] : [comment];
}

function post({ postId }: { readonly postId: string }): EntityChange {
  return { type: 'Post', id: postId };
}
