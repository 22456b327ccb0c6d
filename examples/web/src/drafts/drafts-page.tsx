import { useQuery } from '@apollo/client/react';
import { PostSummary } from '../feed/post-summary.tsx';
import { graphql } from '../generated/gql.ts';
import { ownRequest } from '../graph/own-request.ts';
import { Failure } from '../layout/failure.tsx';
import { PageTitle } from '../routing/page-title.tsx';
import { useTexts } from '../texts/texts-context.tsx';

const Drafts = graphql(`
  query Drafts {
    me {
      id
      postsConnection(first: 50) {
        edges {
          cursor
          node {
            ...PostSummary
          }
        }
      }
    }
  }
`);

/** What the user has written and not published. */
export function DraftsPage() {
  const { texts } = useTexts();
  const { data, error, refetch } = useQuery(Drafts, {
    fetchPolicy: 'cache-and-network',
    context: ownRequest,
  });
  const drafts = data?.me?.postsConnection.edges.filter(({ node }) => !node.published);
  return (
    <section aria-busy={!drafts}>
      <PageTitle label={texts.drafts}>{texts.drafts}</PageTitle>
      <p className="hint">{texts.draftsText}</p>
      {drafts?.map(({ node }) => (
        <PostSummary key={node.id} post={node} />
      ))}
      {drafts?.length === 0 && <p className="end">{texts.noDrafts}</p>}
      {!drafts && !error && <p className="loading">{texts.loading}</p>}
      {error && <Failure error={error} onRetry={() => refetch()} />}
    </section>
  );
}
