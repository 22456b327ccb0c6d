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

/** Notes that a user is there until the function that is returned is called. */
export type HoldUser = (userId: string) => () => void;

/** Ends what runs in the name of a token when that expires, within a second, or when its grant is revoked, at once. */
export class CallerWatch {
  /** Each with what ends the user's being there. */
  readonly #watched = new Map<RunsForCaller, (() => void) | undefined>();
  readonly #revokedGrants: RevokedGrants;
  readonly #holdUser: HoldUser;
  readonly #stopListening: () => void;
  readonly #sweep: NodeJS.Timeout;

  constructor(revokedGrants: RevokedGrants, holdUser: HoldUser) {
    this.#revokedGrants = revokedGrants;
    this.#holdUser = holdUser;
    this.#stopListening = revokedGrants.onRevoked((grantId) => this.#revoked(grantId));
    this.#sweep = setInterval(() => this.#endExpired(), SWEEP_MS);
    this.#sweep.unref();
  }

  /** Anonymous callers have nothing that could end. */
  add(watched: RunsForCaller): void {
    const { authenticated, grantId, context } = watched.caller;
    if (!authenticated) return;
    const release = context.user && this.#holdUser(context.user.id);
    this.#watched.get(watched)?.();
    this.#watched.set(watched, release);
    if (grantId !== undefined && this.#revokedGrants.has(grantId)) watched.onTokenEnd(REVOKED);
  }

  delete(watched: RunsForCaller): void {
    this.#watched.get(watched)?.();
    this.#watched.delete(watched);
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#stopListening();
  }

  #endExpired(): void {
    const now = Date.now();
    for (const watched of this.#watched.keys())
      if (watched.caller.expiresAtMs <= now) watched.onTokenEnd(EXPIRED);
  }

  #revoked(grantId: string): void {
    for (const watched of this.#watched.keys())
      if (watched.caller.grantId === grantId) watched.onTokenEnd(REVOKED);
  }
}
