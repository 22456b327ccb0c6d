import type { KeyWatch } from '../identity/authenticator.ts';
import type { Caller } from '../identity/caller.ts';
import type { RevokedTokens, TokenHolder } from '../identity/revocation.ts';

/** Something that runs in a caller's name for longer than a request. */
export interface RunsForCaller {
  readonly caller: Caller;
  /** Its token is no longer good. */
  onTokenEnd(message: string): void;
}

const EXPIRED = 'The access token has expired.';
const REVOKED = 'The access token has been revoked.';
const SWEEP_MS = 1_000;

/** Marks a user as online until the returned function is called. */
export type HoldUser = (userId: string) => () => void;

/**
 * Ends what runs in the name of a token when that expires, within a second, when it is revoked, at once, or when the key that
 * signed it was withdrawn or a reload has it accepted no more, a second after that was learnt.
 */
export class CallerWatch {
  /** Each with what ends the user's presence. */
  readonly #watched = new Map<RunsForCaller, (() => void) | undefined>();
  readonly #revokedTokens: RevokedTokens;
  readonly #holdUser: HoldUser;
  readonly #keys: () => KeyWatch;
  /** Those by which all were judged last, and their generation. */
  #judgedBy: KeyWatch | undefined;
  #keyGeneration = 0;
  readonly #stopListening: () => void;
  readonly #sweep: NodeJS.Timeout;

  constructor(revokedTokens: RevokedTokens, holdUser: HoldUser, keys: () => KeyWatch) {
    this.#revokedTokens = revokedTokens;
    this.#holdUser = holdUser;
    this.#keys = keys;
    this.#stopListening = revokedTokens.onRevoked((concerns) => this.#revoked(concerns));
    this.#sweep = setInterval(() => {
      this.#endExpired();
      void this.#endUnsigned();
      void this.#endInactive();
    }, SWEEP_MS);
    this.#sweep.unref();
  }

  /** Anonymous callers have nothing that could end. */
  add(watched: RunsForCaller): void {
    const { authenticated, context } = watched.caller;
    if (!authenticated) return;
    if (!this.#judgedBy) this.#judgeBy(this.#keys());
    const release = context.user && this.#holdUser(context.user.id);
    this.#watched.get(watched)?.();
    this.#watched.set(watched, release);
    if (this.#revokedTokens.has(watched.caller)) watched.onTokenEnd(REVOKED);
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

  /** Those whose issuer is asked about them now and then: a token that it has revoked ends what runs with it. */
  async #endInactive(): Promise<void> {
    const now = Date.now();
    for (const watched of this.#watched.keys()) {
      const { token, judgedUntilMs = Number.POSITIVE_INFINITY } = watched.caller;
      if (token === undefined || judgedUntilMs > now) continue;
      if (!(await this.#keys().isSigned(token))) watched.onTokenEnd(REVOKED);
    }
  }

  /** One after the other, so that thousands of them don't hold up what else there is to do. */
  async #endUnsigned(): Promise<void> {
    if (this.#watched.size === 0) return;
    const keys = this.#keys();
    if (!this.#judgeBy(keys)) return;
    for (const watched of this.#watched.keys()) {
      const { token } = watched.caller;
      if (token !== undefined && !(await keys.isSigned(token))) watched.onTokenEnd(REVOKED);
    }
  }

  /** @returns whether they are others than before: keys have changed, or a reload has changed whose tokens are accepted */
  #judgeBy(keys: KeyWatch): boolean {
    const generation = keys.generation();
    if (keys === this.#judgedBy && generation === this.#keyGeneration) return false;
    this.#judgedBy = keys;
    this.#keyGeneration = generation;
    return true;
  }

  #revoked(concerns: (holder: TokenHolder) => boolean): void {
    for (const watched of this.#watched.keys()) if (concerns(watched.caller)) watched.onTokenEnd(REVOKED);
  }
}
