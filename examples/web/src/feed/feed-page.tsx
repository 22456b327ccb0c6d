import { NetworkStatus } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { useCallback } from 'react';
import { ownRequest } from '../graph/own-request.ts';
import { Failure } from '../layout/failure.tsx';
import { PageTitle } from '../routing/page-title.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { FeedDocument } from './feed-query.ts';
import { MoreOnScroll } from './more-on-scroll.tsx';
import { NewPosts } from './new-posts.tsx';
import { PostSummary } from './post-summary.tsx';

/** The newest posts, and more of them as one scrolls. */
export function FeedPage() {
  const { texts } = useTexts();
  const { data, error, networkStatus, fetchMore, refetch } = useQuery(FeedDocument, { context: ownRequest });
  const connection = data?.postsConnection;
  const after = connection?.pageInfo.endCursor;
  const loadMore = useCallback(
    () => void fetchMore({ variables: { after } }).catch(() => undefined), // shown as error
    [fetchMore, after],
  );
  return (
    <section aria-busy={networkStatus !== NetworkStatus.ready}>
      <PageTitle label={texts.feed}>{texts.feed}</PageTitle>
      <NewPosts onShow={() => void refetch()} />
      {connection?.edges.map(({ node }) => (
        <PostSummary key={node.id} post={node} />
      ))}
      {!connection && !error && <p className="loading">{texts.loading}</p>}
      {error && <Failure error={error} onRetry={() => refetch()} />}
      {connection?.pageInfo.hasNextPage && !error && (
        <MoreOnScroll isLoading={networkStatus === NetworkStatus.fetchMore} onMore={loadMore} />
      )}
      {connection && !connection.pageInfo.hasNextPage && <p className="end">{texts.end}</p>}
    </section>
  );
}
