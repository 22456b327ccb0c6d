import { useState } from 'react';
import { useLiveEvents } from '../graph/use-live-events.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { PostCreatedDocument } from './feed-query.ts';

/** Says how many posts have been published since the list was loaded. It does not move under the reader until they ask. */
export function NewPosts({ onShow }: { readonly onShow: () => void }) {
  const { texts } = useTexts();
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const show = (): void => {
    setIds(new Set());
    onShow();
  };
  useLiveEvents(PostCreatedDocument, {
    variables: {},
    onEvent: ({ postCreated }) => setIds((known) => new Set(known).add(postCreated.id)),
    onGap: show,
  });
  return (
    <div role="status">
      {ids.size > 0 && (
        <button type="button" className="button new-posts" onClick={show}>
          {texts.newPosts(ids.size)}
        </button>
      )}
    </div>
  );
}
