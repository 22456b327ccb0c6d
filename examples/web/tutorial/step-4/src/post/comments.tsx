import { useApolloClient } from '@apollo/client/react';
import type { CommentDetailsFragment } from '../generated/graphql.ts';
import { useLiveEvents } from '../graph/use-live-events.ts';
import { useNotify } from '../notices/notices.tsx';
import { useViewer } from '../session/use-viewer.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { COMMENTS_HEADING } from './comments-heading.ts';
import { CommentItem } from './comment-item.tsx';
import { CommentAddedDocument } from './post-query.ts';
import { showComment } from './show-comment.ts';

interface CommentsProps {
  readonly postId: string;
  /** Absent until the deferred part of the post has come. */
  readonly connection: Page | undefined;
  readonly onRefetch: () => void;
  readonly onMore: (after: string | null | undefined) => void;
}

interface Page {
  readonly edges: readonly { readonly node: CommentDetailsFragment }[];
  readonly pageInfo: { readonly endCursor?: string | null; readonly hasNextPage: boolean };
}

/** The comments on a post, new ones as they come. */
export function Comments({ postId, connection, onRefetch, onMore }: CommentsProps) {
  const { cache } = useApolloClient();
  const { texts } = useTexts();
  const viewer = useViewer();
  const notify = useNotify();
  useLiveEvents(CommentAddedDocument, {
    variables: { postId },
    onEvent: ({ commentAdded: comment }) => {
      if (!connection) return onRefetch(); // what is being loaded may be from before
      showComment(cache, postId, comment);
      if (comment.author.id !== viewer?.id) notify(texts.newComment(comment.author.name));
    },
    onGap: onRefetch,
  });
  return (
    <section aria-labelledby={COMMENTS_HEADING} aria-busy={!connection}>
      <h2 id={COMMENTS_HEADING} tabIndex={-1}>
        {texts.comments}
      </h2>
      {!connection && <p className="loading">{texts.loading}</p>}
      {connection?.edges.length === 0 && <p>{texts.noComments}</p>}
      <ul className="comments">
        {connection?.edges.map(({ node }) => (
          <CommentItem key={node.id} comment={node} />
        ))}
      </ul>
      {connection?.pageInfo.hasNextPage && (
        <button type="button" className="button more" onClick={() => onMore(connection.pageInfo.endCursor)}>
          {texts.loadMore}
        </button>
      )}
    </section>
  );
}
