import { PageTitle } from '../routing/page-title.tsx';
import { mayWrite, useViewer } from '../session/use-viewer.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { useUnsaved } from '../unsaved/use-unsaved.ts';
import { PostForm } from './post-form.tsx';
import { useCreatePost } from './use-create-post.ts';
import type { Written } from './written.ts';

const EMPTY = { title: '', body: '', tags: '' };

/** Writes a post, to publish it or to store it as a draft. */
export function NewPostPage() {
  const { texts } = useTexts();
  const viewer = useViewer();
  const { unsaved = EMPTY, store, remove } = useUnsaved<Written>('new');
  const createPost = useCreatePost();
  if (!viewer) return <p className="loading">{texts.loading}</p>;
  if (!mayWrite(viewer)) return <p className="notice">{texts.mayNotWrite}</p>;
  const submit = async (action: string): Promise<void> => {
    if (await createPost({ written: unsaved, isDraft: action === 'draft', author: viewer })) remove();
  };
  return (
    <>
      <PageTitle label={texts.newPostTitle}>{texts.newPostTitle}</PageTitle>
      <PostForm written={unsaved} onChange={store} onSubmit={(action) => void submit(action)}>
        <button type="submit" value="publish" className="button button-primary">
          {texts.publish}
        </button>
        <button type="submit" value="draft" className="button">
          {texts.saveDraft}
        </button>
      </PostForm>
    </>
  );
}
