import { useQuery } from '@apollo/client/react';
import { PostFacts } from '../feed/post-summary.tsx';
import type { PostSummaryFragment } from '../generated/graphql.ts';
import { Failure } from '../layout/failure.tsx';
import { NotFound } from '../layout/not-found.tsx';
import { PageTitle } from '../routing/page-title.tsx';
import { useTexts } from '../texts/texts-context.tsx';
import { Comments } from './comments.tsx';
import { PostDocument } from './post-query.ts';

/** A post with what readers say. */
export function PostPage({ id }: { readonly id: string }) {
  const { texts } = useTexts();
  const { data, error, refetch, fetchMore } = useQuery(PostDocument, {
    variables: { id },
    fetchPolicy: 'cache-and-network',
    nextFetchPolicy: 'cache-first',
  });
  const post = data?.post;
  if (post === null) return <NotFound />;
  if (!post) return error ? <Failure error={error} onRetry={() => refetch()} /> : <p>{texts.loading}</p>;
  return (
    <>
      <Article post={post} />
      {error && <Failure error={error} onRetry={() => refetch()} />}
      <Comments
        postId={post.id}
        connection={post.commentsConnection}
        onRefetch={() => void refetch()}
        onMore={(after) => void fetchMore({ variables: { after } }).catch(() => undefined)} // shown as error
      />
    </>
  );
}

function Article({ post }: { readonly post: PostSummaryFragment }) {
  return (
    <article className="post">
      <PageTitle label={post.title}>{post.title}</PageTitle>
      <PostFacts post={post} />
      {Object.entries(post.body.split(/\n{2,}/)).map(([index, paragraph]) => (
        <p key={index}>{paragraph}</p>
      ))}
    </article>
  );
}
