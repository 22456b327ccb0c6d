/** The embedded PostgreSQL can't be had; the message says why, and what would help, in words for the user at the terminal. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
