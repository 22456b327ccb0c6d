import { useQuery } from '@apollo/client/react';
import { graphql } from '../generated/gql.ts';
import type { ViewerQuery } from '../generated/graphql.ts';

const Viewer = graphql(`
  query Viewer {
    me {
      id
      name
      role
    }
  }
`);

/** The user who is signed in. */
export type SignedInUser = NonNullable<ViewerQuery['me']>;

/** The user who is signed in; undefined until it is known. */
export function useViewer(): SignedInUser | undefined {
  return useQuery(Viewer).data?.me ?? undefined;
}

/** Editors and administrators write posts, and change those of others. The graph decides; this hides what it would reject. */
export function mayWrite(viewer: SignedInUser | undefined): boolean {
  return viewer?.role === 'EDITOR' || viewer?.role === 'ADMIN';
}

/** Whether a comment or post is theirs to change. */
export function mayChange(viewer: SignedInUser | undefined, author: { readonly id: string }): boolean {
  return mayWrite(viewer) || viewer?.id === author.id;
}
