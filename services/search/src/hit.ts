/** The kinds of things that can be found, by their types in the graph. */
export type HitKind = 'User' | 'Post' | 'TextComment';

/** Something that another service owns, which knows what it is now. */
export interface Thing {
  readonly kind: HitKind;
  readonly id: string;
}

/** Something that the index has found. */
export interface Hit extends Thing {
  /** The post that a comment is on; null for anything else. */
  readonly postId: string | null;
  /** How well it matches, as PostgreSQL writes it: what is higher comes first. */
  readonly rank: string;
}
