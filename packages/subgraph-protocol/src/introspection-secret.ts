/** The request header with the secret of those who may read a subgraph's schema in production. The gateway sends none. */
export const INTROSPECTION_SECRET_HEADER = 'trellis-introspection-secret';
