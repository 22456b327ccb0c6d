import { useState } from 'react';
import type { CommentDetailsFragment } from '../generated/graphql.ts';
import { mayChange, useViewer } from '../session/use-viewer.ts';
import { TimeAgo } from '../texts/time-ago.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { UNCONFIRMED } from './comment-form.tsx';
import { DeleteComment } from './delete-comment.tsx';
import { EditComment } from './edit-comment.tsx';

interface CommentItemProps {
  readonly postId: string;
  readonly comment: CommentDetailsFragment;
}

/** A comment, with what the user may do to it. */
export function CommentItem({ postId, comment }: CommentItemProps) {
  const { texts } = useTexts();
  const viewer = useViewer();
  const [isEditing, setIsEditing] = useState(false);
  const isConfirmed = !comment.id.startsWith(UNCONFIRMED);
  const { author } = comment;
  return (
    <li className="comment" data-confirmed={isConfirmed}>
      <p className="facts">
        <strong>{author.name}</strong>
        {isConfirmed ? <TimeAgo time={comment.createdAt} /> : <span>{texts.sending}</span>}
        {comment.edited && <span>{texts.edited}</span>}
      </p>
      {isEditing ? (
        <EditComment comment={comment} onClose={() => setIsEditing(false)} />
      ) : (
        <p className="comment-body">{comment.body}</p>
      )}
      {isConfirmed && !isEditing && mayChange(viewer, author) && (
        <div className="actions">
          <button
            type="button"
            className="button button-quiet"
            aria-label={texts.editComment(author.name)}
            onClick={() => setIsEditing(true)}
          >
            {texts.edit}
          </button>
          <DeleteComment postId={postId} comment={comment} />
        </div>
      )}
    </li>
  );
}
