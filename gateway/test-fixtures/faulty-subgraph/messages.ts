/** How the subgraph answers from now on: as it should, late, or with something that is no response. */
export type Behaviour =
  | { readonly kind: 'good' }
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'garbage' }
  | { readonly kind: 'wrong-types' }
  | { readonly kind: 'huge'; readonly bytes: number }
  | { readonly kind: 'endless' }
  | { readonly kind: 'drip' };

/** What the process says once it listens. */
export interface Listening {
  readonly port: number;
}
