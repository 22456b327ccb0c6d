import { useMutation } from '@apollo/client/react';
import type { PostSummaryFragment } from '../generated/graphql.ts';
import { describeError, isVersionConflict } from '../graph/describe-error.ts';
import { useNotify } from '../notices/notices.tsx';
import { navigate } from '../routing/router.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { EditedPostDocument, UpdatePostDocument } from './post-mutations.ts';
import { tagsOf, type WrittenOn } from './written.ts';

interface PostChange {
  readonly post: PostSummaryFragment;
  /** With the version that it was written on: another one in the graph is a conflict. */
  readonly written: WrittenOn;
  readonly published: boolean;
}

/**
 * Changes a post. Its page shows the change at once; when it fails, the form is back with what was written, and with the other
 * version where there is one.
 *
 * @returns resolves with whether the graph has the change
 */
export function useUpdatePost(): (change: PostChange) => Promise<boolean> {
  const { texts } = useTexts();
  const notify = useNotify();
  const [updatePost, { client }] = useMutation(UpdatePostDocument);
  return async ({ post, written, published }) => {
    const { title, body, base } = written;
    const change = { title, body, tags: tagsOf(written), published };
    navigate(`/posts/${post.id}`);
    try {
      await updatePost({
        variables: { id: post.id, input: { ...change, expectedUpdatedAt: base } },
        optimisticResponse: { __typename: 'Mutation', updatePost: { ...post, ...change } },
      });
      notify(published && !post.published ? texts.published : texts.saved);
      return true;
    } catch (error) {
      if (isVersionConflict(error))
        await client.query({
          query: EditedPostDocument,
          variables: { id: post.id },
          fetchPolicy: 'network-only',
        });
      else notify(`${texts.saveFailed} ${describeError(error, texts).message}`, { isError: true });
      navigate(`/posts/${post.id}/edit`);
      return false;
    }
  };
}
