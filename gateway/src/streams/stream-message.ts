/** What a stream over HTTP says. What only shows that the connection lives is left out. */
export type StreamMessage =
  /** A response. */
  | { readonly kind: 'next'; readonly payload: unknown }
  /** There is no more. */
  | { readonly kind: 'complete' };
