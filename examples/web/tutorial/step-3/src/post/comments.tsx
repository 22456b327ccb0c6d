import type { CommentDetailsFragment } from '../generated/graphql.ts';
import { useTexts } from '../texts/texts-context.tsx';
import { CommentItem } from './comment-item.tsx';

interface CommentsProps {
  /** Absent until the deferred part of the post has come. */
  readonly connection: Page | undefined;
  readonly onMore: (after: string | null | undefined) => void;
}

interface Page {
  readonly edges: readonly { readonly node: CommentDetailsFragment }[];
  readonly pageInfo: { readonly endCursor?: string | null; readonly hasNextPage: boolean };
}

/** The comments on a post. */
export function Comments({ connection, onMore }: CommentsProps) {
  const { texts } = useTexts();
  return (
    <section aria-labelledby="comments" aria-busy={!connection}>
      <h2 id="comments">{texts.comments}</h2>
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
