import type { SearchQuery } from '../generated/graphql.ts';
import { Link } from '../routing/link.tsx';
import { useTexts } from '../texts/texts-context.tsx';

/** Something that was found. */
export type Found = SearchQuery['search'][number];

/** A post, a comment or a user among the results. */
export function SearchResult({ found }: { readonly found: Found }) {
  const { texts } = useTexts();
  switch (found.__typename) {
    case 'Post':
      return (
        <li className="card">
          <span className="badge">{texts.foundPost}</span>
          <h2>
            <Link href={`/posts/${found.id}`}>{found.title}</Link>
          </h2>
          <p className="facts">{texts.by(found.author.name)}</p>
        </li>
      );
    case 'TextComment':
      return (
        <li className="card">
          <span className="badge">{texts.foundComment}</span>
          <h2>
            <Link href={`/posts/${found.post.id}`}>{found.post.title}</Link>
          </h2>
          <p className="excerpt">{found.body}</p>
          <p className="facts">{texts.by(found.author.name)}</p>
        </li>
      );
    case 'User':
      return (
        <li className="card">
          <span className="badge">{texts.foundUser}</span>
          <h2>{found.name}</h2>
          <p className="facts">{texts.roles[found.role]}</p>
        </li>
      );
    default:
      return found satisfies never;
  }
}
