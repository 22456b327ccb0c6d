import { ErrorResponse, type User, type UserManager } from 'oidc-client-ts';

/** What of the issuer ends a session. RFC 6749 §5.2 */
const ENDED: ReadonlySet<string | null> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

const RETRY_MS = 3_000;

/**
 * Renews a session, once at a time: a refresh token that is used twice ends it. Only the issuer ends a session: what the network or a busy
 * server fails at is tried again.
 */
export class Renewal {
  readonly #manager: UserManager;
  #running: Promise<User | null> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(manager: UserManager) {
    this.#manager = manager;
  }

  /** @returns nothing where that fails, for now or for good */
  renew(): Promise<User | null> {
    clearTimeout(this.#retry);
    this.#running ??= this.#renewOnce().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #renewOnce(): Promise<User | null> {
    try {
      return await this.#manager.signinSilent();
    } catch (error) {
      await this.#recover(error);
      return null;
    }
  }

  async #recover(error: unknown): Promise<void> {
    const isOver = error instanceof ErrorResponse && ENDED.has(error.error);
    const user = await this.#manager.getUser();
    if (isOver || !user?.refresh_token) return this.#manager.removeUser();
    this.#retry = setTimeout(() => void this.renew(), RETRY_MS);
  }
}
