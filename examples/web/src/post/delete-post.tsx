import { useMutation } from '@apollo/client/react';
import { graphql } from '../generated/gql.ts';
import { describeError } from '../graph/describe-error.ts';
import { ConfirmedButton } from '../layout/confirmed-button.tsx';
import { useNotify } from '../notices/notices.tsx';
import { navigate } from '../routing/router.ts';
import { useTexts } from '../texts/texts-context.tsx';

const RemovePost = graphql(`
  mutation DeletePost($id: ID!) {
    deletePost(id: $id)
  }
`);

/** Deletes a post with its comments, and goes to the others. */
export function DeletePost({ id }: { readonly id: string }) {
  const { texts } = useTexts();
  const notify = useNotify();
  const [deletePost] = useMutation(RemovePost);
  const remove = async (): Promise<void> => {
    try {
      await deletePost({
        variables: { id },
        update: (cache) => {
          navigate('/'); // not before: the list that is loaded there would still have the post
          cache.evict({ id: cache.identify({ __typename: 'Post', id }) });
        },
      });
    } catch (error) {
      notify(describeError(error, texts).message, { isError: true });
    }
  };
  return (
    <ConfirmedButton label={texts.deletePost} onConfirm={() => void remove()}>
      {texts.delete}
    </ConfirmedButton>
  );
}
