import type { Caller } from '../auth/caller.ts';
import type { RevokedGrants } from '../auth/revoked-grants.ts';

/** Something that runs in a caller's name for longer than a request. */
export interface RunsForCaller {
  readonly caller: Caller;
  /** Its token is no longer good. */
  onTokenEnd(message: string): void;
}

const EXPIRED = 'The access token has expired.';
const REVOKED = 'The access token has been revoked.';
const SWEEP_MS = 1_000;

/** Ends what runs in the name of a token when that expires, within a second, or when its grant is revoked, at once. */
export class CallerWatch {
  readonly #watched = new Set<RunsForCaller>();
  readonly #revokedGrants: RevokedGrants;
  readonly #stopListening: () => void;
  readonly #sweep: NodeJS.Timeout;

  constructor(revokedGrants: RevokedGrants) {
    this.#revokedGrants = revokedGrants;
    this.#stopListening = revokedGrants.onRevoked((grantId) => this.#revoked(grantId));
    this.#sweep = setInterval(() => this.#endExpired(), SWEEP_MS);
    this.#sweep.unref();
  }

  /** Anonymous callers have nothing that could end. */
  add(watched: RunsForCaller): void {
    const { authenticated, grantId } = watched.caller;
    if (!authenticated) return;
    this.#watched.add(watched);
    if (grantId !== undefined && this.#revokedGrants.has(grantId)) watched.onTokenEnd(REVOKED);
  }

  delete(watched: RunsForCaller): void {
    this.#watched.delete(watched);
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#stopListening();
  }

  #endExpired(): void {
    const now = Date.now();
    for (const watched of this.#watched) if (watched.caller.expiresAtMs <= now) watched.onTokenEnd(EXPIRED);
  }

  #revoked(grantId: string): void {
    for (const watched of this.#watched) if (watched.caller.grantId === grantId) watched.onTokenEnd(REVOKED);
  }
}
