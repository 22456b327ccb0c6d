import type { CommentDetailsFragment } from '../generated/graphql.ts';
import { TimeAgo } from '../texts/time-ago.tsx';
import { useTexts } from '../texts/texts-context.tsx';

/** A comment. */
export function CommentItem({ comment }: { readonly comment: CommentDetailsFragment }) {
  const { texts } = useTexts();
  return (
    <li className="comment">
      <p className="facts">
        <strong>{comment.author.name}</strong>
        <TimeAgo time={comment.createdAt} />
        {comment.edited && <span>{texts.edited}</span>}
      </p>
      <p className="comment-body">{comment.body}</p>
    </li>
  );
}
