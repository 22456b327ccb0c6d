import { ErrorResponse, UserManager, WebStorageStateStore, type User } from 'oidc-client-ts';
import type { PageSettings } from '../page-settings.ts';
import { sendForm } from './send-form.ts';

/** Who is signed in. */
export interface SignedIn {
  readonly name: string;
  readonly accessToken: string;
}

/** The user's session at the issuer: nothing of it outlives the tab. */
export interface Session {
  /** Ends a sign-in that the page has come back from, if any, and finds who is signed in. @throws Error where it failed */
  resume(): Promise<SignedIn | undefined>;
  /** Leaves the page; the issuer leads back. */
  signIn(): Promise<void>;
  /** The same; the session at the issuer ends. */
  signOut(): Promise<void>;
  /** Calls back when someone else is signed in, or no one; renewals included. */
  onChange(listener: (user: SignedIn | undefined) => void): void;
}

const HOME = '/explorer';
const CALLBACK = `${HOME}/callback`;

/** Opens the session, where the graph takes tokens. */
export function openSession({ issuer, clientId, scopes }: PageSettings): Session | undefined {
  if (issuer === undefined) return undefined;
  const store = new WebStorageStateStore({ store: sessionStorage });
  const manager = new UserManager({
    authority: issuer,
    client_id: clientId,
    redirect_uri: location.origin + CALLBACK,
    post_logout_redirect_uri: location.origin + HOME,
    scope: scopes.join(' '),
    userStore: store,
    stateStore: store,
    automaticSilentRenew: true,
    monitorSession: false,
    loadUserInfo: true,
  });
  return {
    resume: () => resume(manager),
    signIn: () => manager.signinRedirect(),
    signOut: () => signOut(manager),
    onChange: (listener) => {
      manager.events.addUserLoaded((user) => listener(signedInOf(user)));
      manager.events.addUserUnloaded(() => listener(undefined));
      manager.events.addSilentRenewError((error) => void recover(manager, error));
    },
  };
}

async function resume(manager: UserManager): Promise<SignedIn | undefined> {
  if (location.pathname !== CALLBACK) {
    const user = await manager.getUser();
    return signedInOf(user?.expired && user.refresh_token ? await renew(manager) : user);
  }
  try {
    return signedInOf(await manager.signinRedirectCallback());
  } finally {
    history.replaceState(null, '', HOME); // the code is used up
  }
}

/** What of the issuer ends a session. RFC 6749 §5.2 */
const ENDED: ReadonlySet<string | null> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

const RETRY_MS = 3_000;

async function renew(manager: UserManager): Promise<User | null> {
  try {
    return await manager.signinSilent();
  } catch (error) {
    await recover(manager, error);
    return null;
  }
}

/** Only the issuer ends a session: what the network or a busy server fails at is tried again. */
async function recover(manager: UserManager, error: unknown): Promise<void> {
  const isOver = error instanceof ErrorResponse && ENDED.has(error.error);
  const user = await manager.getUser();
  if (isOver || !user?.refresh_token) return manager.removeUser();
  setTimeout(() => void renew(manager), RETRY_MS);
}

/**
 * Ends the session here and at the issuer, and what was given for longer than that. In a form, because addresses end up in
 * histories and logs.
 */
async function signOut(manager: UserManager): Promise<void> {
  const user = await manager.getUser();
  if (user?.refresh_token) await manager.revokeTokens(['refresh_token']).catch(() => undefined); // the session ends all the same
  const address = await manager.metadataService.getEndSessionEndpoint();
  await manager.removeUser();
  if (address === undefined) return;
  sendForm(address, {
    client_id: manager.settings.client_id,
    post_logout_redirect_uri: location.origin + HOME,
    ...(user?.id_token !== undefined && { id_token_hint: user.id_token }),
  });
}

function signedInOf(user: User | null | undefined): SignedIn | undefined {
  if (!user || user.expired) return undefined;
  const { name, email, sub } = user.profile;
  return { name: name ?? email ?? sub, accessToken: user.access_token };
}
