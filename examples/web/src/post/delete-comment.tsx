import { useMutation } from '@apollo/client/react';
import { graphql } from '../generated/gql.ts';
import type { CommentDetailsFragment } from '../generated/graphql.ts';
import { describeError } from '../graph/describe-error.ts';
import { ConfirmedButton } from '../layout/confirmed-button.tsx';
import { useNotify } from '../notices/notices.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { COMMENTS_HEADING } from './comments-heading.ts';
import { hideComment } from './show-comment.ts';

const RemoveComment = graphql(`
  mutation DeleteComment($id: ID!) {
    deleteComment(id: $id)
  }
`);

interface DeleteCommentProps {
  readonly postId: string;
  readonly comment: CommentDetailsFragment;
}

/** Deletes a comment: it disappears at once, and comes back when that fails. */
export function DeleteComment({ postId, comment }: DeleteCommentProps) {
  const { texts } = useTexts();
  const notify = useNotify();
  const [deleteComment] = useMutation(RemoveComment);
  const remove = (): void => {
    document.getElementById(COMMENTS_HEADING)?.focus(); // the button that has the focus goes
    deleteComment({
      variables: { id: comment.id },
      optimisticResponse: { __typename: 'Mutation', deleteComment: true },
      update: (cache) => hideComment(cache, postId, comment),
    }).catch((error: unknown) => notify(describeError(error, texts).message, { isError: true }));
  };
  return (
    <ConfirmedButton label={texts.deleteComment(comment.author.name)} onConfirm={remove}>
      {texts.delete}
    </ConfirmedButton>
  );
}
