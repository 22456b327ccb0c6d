import { useState } from 'react';
import type { CommentDetailsFragment } from '../generated/graphql.ts';
import { isConfirmed } from '../graph/unconfirmed.ts';
import { mayChange, useViewer } from '../session/use-viewer.ts';
import { TimeAgo } from '../texts/time-ago.tsx';
import { useTexts } from '../texts/texts-context.tsx';
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
  const [mode, setMode] = useState<'read' | 'edit' | 'edited'>('read');
  const isEditing = mode === 'edit';
  const isSaved = isConfirmed(comment);
  const { author } = comment;
  return (
    <li className="comment" data-confirmed={isSaved}>
      <p className="facts">
        <strong>{author.name}</strong>
        {isSaved ? <TimeAgo time={comment.createdAt} /> : <span>{texts.sending}</span>}
        {comment.edited && <span>{texts.edited}</span>}
      </p>
      {isEditing ? (
        <EditComment comment={comment} onClose={() => setMode('edited')} />
      ) : (
        <p className="comment-body">{comment.body}</p>
      )}
      {isSaved && !isEditing && mayChange(viewer, author) && (
        <div className="actions">
          <button
            type="button"
            className="button button-quiet"
            aria-label={texts.editComment(author.name)}
            autoFocus={mode === 'edited'} // the focus comes back to where it was
            onClick={() => setMode('edit')}
          >
            {texts.edit}
          </button>
          <DeleteComment postId={postId} comment={comment} />
        </div>
      )}
    </li>
  );
}
