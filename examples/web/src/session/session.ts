import { ErrorResponse, UserManager, WebStorageStateStore, type User } from 'oidc-client-ts';
import type { Config } from '../config.ts';
import { forgetClosedTabs } from './forget-closed-tabs.ts';
import { postForm } from './post-form.ts';
import { SessionStore } from './session-store.ts';

/** What the session is, and why there is none. */
export type SessionState =
  | { readonly kind: 'signed-in'; readonly subject: string }
  | { readonly kind: 'signed-out' }
  /** The auth-server has ended it: signed out elsewhere, revoked, or too old. */
  | { readonly kind: 'ended' };

const SCOPE = 'openid profile email read:data read:profile write:data';
/** A token is replaced so many seconds before it expires. */
const MARGIN_S = 60;

/**
 * The session at the auth-server, shared by all tabs of this browser. One tab refreshes while the others wait, and when one
 * signs out, or learns that the session has ended, so do all.
 */
export class Session {
  readonly #manager: UserManager;
  readonly #store = new SessionStore();
  readonly #tabs = new BroadcastChannel('trellis-session');
  readonly #listeners = new Set<() => void>();
  #state: SessionState = { kind: 'signed-out' };
  /** A code can be used once. */
  #finishing: Promise<string> | undefined;

  constructor({ issuer, clientId }: Config) {
    this.#manager = new UserManager({
      authority: issuer,
      client_id: clientId,
      redirect_uri: `${location.origin}/callback`,
      scope: SCOPE,
      userStore: this.#store,
      stateStore: new WebStorageStateStore({ prefix: 'oidc.', store: sessionStorage }),
      automaticSilentRenew: false,
      monitorSession: false,
      requestTimeoutInSeconds: 20, // a refresh holds the lock of all tabs: one that hangs would stop each of them
    });
    this.#tabs.addEventListener('message', ({ data }: MessageEvent<SessionState>) => this.#become(data));
  }

  get state(): SessionState {
    return this.#state;
  }

  /** @returns what ends the subscription */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Finds the session of another tab, or of before a reload. */
  async restore(): Promise<void> {
    await forgetClosedTabs(this.#store);
    const user = await this.#manager.getUser();
    if (user) this.#become(signedIn(user));
  }

  /** Leaves the page; the browser comes back to `/callback`. @param language of the auth-server's pages */
  async signIn(language: string): Promise<void> {
    const returnTo = `${location.pathname}${location.search}`;
    await this.#manager.signinRedirect({ state: returnTo, ui_locales: language });
  }

  /** Call it at `/callback`. @returns where the user was before */
  finishSignIn(): Promise<string> {
    return (this.#finishing ??= this.#takeCode());
  }

  async #takeCode(): Promise<string> {
    const user = await this.#manager.signinRedirectCallback();
    this.#announce(signedIn(user));
    return typeof user.state === 'string' ? user.state : '/';
  }

  /** Ends the session in every tab, and at the auth-server, which notifies its other clients. Leaves the page. */
  async signOut(): Promise<void> {
    const user = await this.#manager.getUser();
    const address = await this.#manager.metadataService.getEndSessionEndpoint();
    await this.#store.clear();
    this.#announce({ kind: 'signed-out' });
    if (!address) return;
    // In a form, because addresses end up in histories and logs.
    postForm(address, {
      client_id: this.#manager.settings.client_id,
      post_logout_redirect_uri: `${location.origin}/signed-out`,
      ...(user?.id_token && { id_token_hint: user.id_token }),
    });
  }

  /** A token that is good for another minute; undefined when the user has to sign in. */
  async accessToken(): Promise<string | undefined> {
    if (this.#state.kind !== 'signed-in') return undefined;
    return (
      freshToken(await this.#manager.getUser()) ??
      (await navigator.locks.request('trellis-refresh', () => this.#refresh()))
    );
  }

  /** The API has rejected the token although it has not expired: only a refresh shows whether the session goes on. */
  renewRejected(token: string): void {
    const renew = async (): Promise<void> => {
      const user = await this.#manager.getUser();
      if (user?.access_token === token) await this.#renew();
    };
    navigator.locks.request('trellis-refresh', renew).catch(() => undefined); // the next request finds out
  }

  async #refresh(): Promise<string | undefined> {
    const user = await this.#manager.getUser(); // another tab may have refreshed while this one waited
    return freshToken(user) ?? (user?.refresh_token ? this.#renew() : this.#end());
  }

  async #renew(): Promise<string | undefined> {
    try {
      return (await this.#manager.signinSilent())?.access_token;
    } catch (error) {
      if (error instanceof ErrorResponse && error.error === 'invalid_grant') return this.#end();
      throw error; // the network or the server; it may go later
    }
  }

  async #end(): Promise<undefined> {
    await this.#store.clear();
    this.#announce({ kind: 'ended' });
  }

  #announce(state: SessionState): void {
    this.#tabs.postMessage(state);
    this.#become(state);
  }

  #become(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function signedIn({ profile }: User): SessionState {
  return { kind: 'signed-in', subject: profile.sub };
}

function freshToken(user: User | null): string | undefined {
  return user && (user.expires_in ?? 0) > MARGIN_S ? user.access_token : undefined;
}
