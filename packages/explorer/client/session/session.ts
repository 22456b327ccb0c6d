import { UserManager, WebStorageStateStore, type User } from 'oidc-client-ts';
import type { PageSettings } from '../page-settings.ts';

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
    signOut: () => manager.signoutRedirect(),
    onChange: (listener) => {
      manager.events.addUserLoaded((user) => listener(signedInOf(user)));
      manager.events.addUserUnloaded(() => listener(undefined));
      manager.events.addSilentRenewError(() => void manager.removeUser());
    },
  };
}

async function resume(manager: UserManager): Promise<SignedIn | undefined> {
  if (location.pathname !== CALLBACK) return signedInOf(await manager.getUser());
  try {
    return signedInOf(await manager.signinRedirectCallback());
  } finally {
    history.replaceState(null, '', HOME); // the code is used up
  }
}

function signedInOf(user: User | null | undefined): SignedIn | undefined {
  if (!user || user.expired) return undefined;
  const { name, email, sub } = user.profile;
  return { name: name ?? email ?? sub, accessToken: user.access_token };
}
