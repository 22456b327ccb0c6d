import { graphql } from '../generated/gql.ts';
import type { PostSummaryFragment } from '../generated/graphql.ts';
import { isConfirmed } from '../graph/unconfirmed.ts';
import { Link } from '../routing/link.tsx';
import { TimeAgo } from '../texts/time-ago.tsx';
import { useTexts } from '../texts/texts-context.tsx';

graphql(`
  fragment PostSummary on Post {
    id
    title
    body
    tags
    published
    createdAt
    updatedAt
    commentCount
    author {
      id
      name
    }
  }
`);

const EXCERPT = 180;

/** A post in a list. */
export function PostSummary({ post }: { readonly post: PostSummaryFragment }) {
  const { texts } = useTexts();
  const isSaved = isConfirmed(post);
  return (
    <article className="card" data-confirmed={isSaved}>
      <h2>{isSaved ? <Link href={`/posts/${post.id}`}>{post.title}</Link> : post.title}</h2>
      {!isSaved && <p className="hint">{texts.sending}</p>}
      <PostFacts post={post} />
      <p className="excerpt">{excerptOf(post.body)}</p>
    </article>
  );
}

/** Who wrote a post when, and what readers say. */
export function PostFacts({ post }: { readonly post: PostSummaryFragment }) {
  const { texts } = useTexts();
  return (
    <p className="facts">
      {!post.published && <span className="badge">{texts.draft}</span>}
      <span>{texts.by(post.author.name)}</span>
      <TimeAgo time={post.createdAt} />
      <span>{texts.commentCount(post.commentCount ?? 0)}</span>
      {post.tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}
        </span>
      ))}
    </p>
  );
}

function excerptOf(body: string): string {
  return body.length <= EXCERPT ? body : `${body.slice(0, EXCERPT).trimEnd()}…`;
}
