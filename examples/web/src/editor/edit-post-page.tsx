import { useQuery } from '@apollo/client/react';
import type { PostSummaryFragment } from '../generated/graphql.ts';
import { Failure } from '../layout/failure.tsx';
import { NotFound } from '../layout/not-found.tsx';
import { PageTitle } from '../routing/page-title.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { useUnsaved } from '../unsaved/use-unsaved.ts';
import { Conflict } from './conflict.tsx';
import { PostForm } from './post-form.tsx';
import { EditedPostDocument } from './post-mutations.ts';
import { useUpdatePost } from './use-update-post.ts';
import type { WrittenOn } from './written.ts';

/** Changes a post. */
export function EditPostPage({ id }: { readonly id: string }) {
  const { texts } = useTexts();
  const { data, error, refetch } = useQuery(EditedPostDocument, {
    variables: { id },
    fetchPolicy: 'cache-and-network',
  });
  const post = data?.post;
  if (post === null) return <NotFound />;
  if (!post) return error ? <Failure error={error} onRetry={() => refetch()} /> : <p>{texts.loading}</p>;
  return <Editor post={post} />;
}

/** A conflict is words that were written on another version than the graph has now. */
function Editor({ post }: { readonly post: PostSummaryFragment }) {
  const { texts } = useTexts();
  const { unsaved, store, remove } = useUnsaved<WrittenOn>(post.id);
  const updatePost = useUpdatePost();
  const written = unsaved ?? asWritten(post);
  const hasConflict = written.base !== post.updatedAt;
  const submit = async (action: string): Promise<void> => {
    store(written);
    const published = action === 'save' ? post.published : action === 'publish';
    if (await updatePost({ post, written, published })) remove();
  };
  return (
    <>
      <PageTitle label={texts.editPostTitle}>{texts.editPostTitle}</PageTitle>
      {hasConflict && (
        <Conflict
          theirs={post}
          yours={written}
          onTakeTheirs={remove}
          onKeepYours={() => store({ ...written, base: post.updatedAt })}
        />
      )}
      <PostForm
        written={written}
        onChange={(changed) => store({ ...changed, base: written.base })}
        onSubmit={(action) => void submit(action)}
      >
        <button type="submit" value="save" className="button button-primary">
          {texts.save}
        </button>
        <button type="submit" value={post.published ? 'unpublish' : 'publish'} className="button">
          {post.published ? texts.unpublish : texts.publish}
        </button>
      </PostForm>
    </>
  );
}

function asWritten({ title, body, tags, updatedAt }: PostSummaryFragment): WrittenOn {
  return { title, body, tags: tags.join(', '), base: updatedAt };
}
