import { ErrorResponse, UserManager, WebStorageStateStore, type User } from 'oidc-client-ts';
import type { PageSettings } from '../page-settings.ts';
import { claimTab } from './claim-tab.ts';
import { Renewal } from './renewal.ts';
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
    automaticSilentRenew: false, // a copied tab may not, and others do it once at a time
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
    },
  };
}

async function resume(manager: UserManager): Promise<SignedIn | undefined> {
  if (!(await claimTab()) && (await manager.getUser())) return signInAlike(manager);
  const renewal = new Renewal(manager);
  manager.events.addAccessTokenExpiring(() => void renewal.renew());
  if (location.pathname !== CALLBACK) {
    const user = await manager.getUser();
    return signedInOf(user?.expired && user.refresh_token ? await renewal.renew() : user);
  }
  try {
    return signedInOf(await manager.signinRedirectCallback());
  } catch (error) {
    if (error instanceof ErrorResponse && UNATTENDED.has(error.error)) return undefined;
    throw error;
  } finally {
    history.replaceState(null, '', HOME); // the code is used up
  }
}

/** The copy of a tab gets a grant of its own from the issuer's session, without a question. It leaves the page for that. */
async function signInAlike(manager: UserManager): Promise<undefined> {
  await manager.removeUser();
  await manager.signinRedirect({ prompt: 'none' });
}

/** The issuer would have had to ask: its session is over. OpenID Connect Core §3.1.2.6 */
const UNATTENDED: ReadonlySet<string | null> = new Set([
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);

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
