import { useMutation } from '@apollo/client/react';
import { useId, useState, type FormEvent } from 'react';
import { graphql } from '../generated/gql.ts';
import type { CommentDetailsFragment } from '../generated/graphql.ts';
import { describeError } from '../graph/describe-error.ts';
import { useNotify } from '../notices/notices.tsx';
import { useTexts } from '../texts/texts-context.tsx';

const ChangeComment = graphql(`
  mutation EditComment($id: ID!, $body: String!) {
    editComment(id: $id, body: $body) {
      ...CommentDetails
    }
  }
`);

interface EditCommentProps {
  readonly comment: CommentDetailsFragment;
  readonly onClose: () => void;
}

/** Changes the words of a comment: shown at once, and taken back when the graph rejects them. */
export function EditComment({ comment, onClose }: EditCommentProps) {
  const { texts } = useTexts();
  const notify = useNotify();
  const field = useId();
  const [body, setBody] = useState(comment.body);
  const [editComment] = useMutation(ChangeComment);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onClose();
    editComment({
      variables: { id: comment.id, body },
      optimisticResponse: {
        __typename: 'Mutation',
        editComment: { ...comment, __typename: 'TextComment', body, edited: true },
      },
    }).catch((error: unknown) =>
      notify(`${texts.commentFailed} ${describeError(error, texts).message}`, { isError: true }),
    );
  };
  return (
    <form className="comment-form" onSubmit={submit}>
      <label htmlFor={field}>{texts.editComment(comment.author.name)}</label>
      <textarea
        id={field}
        value={body}
        maxLength={10_000}
        rows={3}
        required
        autoFocus
        onChange={({ target }) => setBody(target.value)}
      />
      <div className="actions">
        <button type="submit" className="button button-primary">
          {texts.save}
        </button>
        <button type="button" className="button" onClick={onClose}>
          {texts.cancel}
        </button>
      </div>
    </form>
  );
}
