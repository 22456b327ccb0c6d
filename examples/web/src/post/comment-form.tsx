import { useMutation } from '@apollo/client/react';
import { useId, type FormEvent } from 'react';
import { graphql } from '../generated/gql.ts';
import { unconfirmedId } from '../graph/unconfirmed.ts';
import { Failure } from '../layout/failure.tsx';
import { useViewer, type SignedInUser } from '../session/use-viewer.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { useUnsaved } from '../unsaved/use-unsaved.ts';
import { showComment } from './show-comment.ts';

const AddComment = graphql(`
  mutation AddComment($postId: ID!, $body: String!) {
    addComment(postId: $postId, body: $body) {
      ...CommentDetails
    }
  }
`);

/** Says something about a post. It is shown at once, and taken back with the words in the field when it fails. */
export function CommentForm({ postId }: { readonly postId: string }) {
  const { texts } = useTexts();
  const viewer = useViewer();
  const field = useId();
  const { unsaved: body = '', store, remove } = useUnsaved<string>(`comment.${postId}`);
  const [addComment, { error }] = useMutation(AddComment);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (body.trim() === '') return;
    remove();
    await addComment({
      variables: { postId, body },
      ...(viewer && {
        optimisticResponse: { __typename: 'Mutation', addComment: unconfirmed(body, viewer) },
      }),
      update: (cache, { data }) => data && showComment(cache, postId, data.addComment),
    }).catch(() => store(body)); // the error is shown below
  };
  return (
    <form className="comment-form" onSubmit={(event) => void submit(event)}>
      <label htmlFor={field}>{texts.yourComment}</label>
      <textarea
        id={field}
        value={body}
        maxLength={10_000}
        rows={3}
        required
        onChange={({ target }) => store(target.value)}
      />
      <button type="submit" className="button button-primary">
        {texts.sendComment}
      </button>
      {error && <Failure what={texts.commentFailed} error={error} />}
    </form>
  );
}

function unconfirmed(body: string, { id, name }: SignedInUser) {
  return {
    __typename: 'TextComment' as const,
    id: unconfirmedId(),
    body,
    createdAt: new Date().toISOString(),
    edited: false,
    author: { __typename: 'User' as const, id, name },
  };
}
