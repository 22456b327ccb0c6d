import { useMutation } from '@apollo/client/react';
import type { PostSummaryFragment } from '../generated/graphql.ts';
import { describeError } from '../graph/describe-error.ts';
import { unconfirmedId } from '../graph/unconfirmed.ts';
import { useNotify } from '../notices/notices.tsx';
import { navigate } from '../routing/router.ts';
import type { SignedInUser } from '../session/use-viewer.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { CreatePostDocument } from './post-mutations.ts';
import { showPost } from './show-post.ts';
import { tagsOf, type Written } from './written.ts';

/** A draft is a post that is to be published at the end of time, until a change publishes it. */
const NEVER = '9999-12-31T00:00:00.000Z';

interface NewPost {
  readonly written: Written;
  readonly isDraft: boolean;
  readonly author: SignedInUser;
}

/**
 * Makes a post. The list shows it at once; when it fails, the form is back with what was written.
 *
 * @returns resolves with whether the graph has the post
 */
export function useCreatePost(): (post: NewPost) => Promise<boolean> {
  const { texts } = useTexts();
  const notify = useNotify();
  const [createPost] = useMutation(CreatePostDocument);
  return async (post) => {
    const { title, body } = post.written;
    const { isDraft } = post;
    navigate(isDraft ? '/drafts' : '/');
    try {
      const { data } = await createPost({
        variables: {
          input: { title, body, tags: tagsOf(post.written), ...(isDraft && { publishedAt: NEVER }) },
        },
        optimisticResponse: {
          __typename: 'Mutation',
          createPost: {
            __typename: 'CreatePostResult',
            success: true,
            errors: [],
            post: unconfirmedPost(post),
          },
        },
        refetchQueries: [isDraft ? 'Drafts' : 'Feed'], // what is being loaded may be from before
        update: (cache, { data: result }) => result && showPost(cache, result.createPost.post),
      });
      const isNew = data?.createPost.success === true;
      notify(isNew ? (isDraft ? texts.saved : texts.published) : texts.duplicate, { isError: !isNew });
      return true;
    } catch (error) {
      navigate('/write');
      notify(`${texts.saveFailed} ${describeError(error, texts).message}`, { isError: true });
      return false;
    }
  };
}

function unconfirmedPost({ written, isDraft, author }: NewPost): PostSummaryFragment {
  const now = new Date().toISOString();
  return {
    __typename: 'Post',
    id: unconfirmedId(),
    title: written.title,
    body: written.body,
    tags: tagsOf(written),
    published: !isDraft,
    createdAt: now,
    updatedAt: now,
    commentCount: 0,
    author: { __typename: 'User', id: author.id, name: author.name },
  };
}
