import { honoursSignInAt, type Account } from '../accounts/accounts.ts';
import { OAuthError } from '../errors.ts';
import { includesAll } from '../clients/scopes.ts';
import type { ClientMetadata } from '../clients/client-metadata.ts';
import type { Session } from '../accounts/session-store.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** What is known when the next step is chosen. */
export interface Situation {
  readonly request: AuthorizationRequest;
  readonly client: ClientMetadata;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly session: Session | undefined;
  /** The account of the session. */
  readonly account: Account | undefined;
  /** Scopes that the user has allowed the client before. */
  readonly allowedScopes: readonly string[];
  /** When the request began to wait for pages; undefined on its first visit. Milliseconds since 1970. */
  readonly waitingSince: number | undefined;
}

/** What an authorization request needs next. */
export type NextStep =
  | { readonly kind: 'sign_in' }
  | { readonly kind: 'consent'; readonly session: Session; readonly account: Account }
  | { readonly kind: 'respond'; readonly session: Session; readonly account: Account };

/**
 * Chooses between asking for a password, asking for consent and answering.
 *
 * @throws OAuthError login_required or consent_required when prompt=none forbids a page, or when someone else than the
 * hinted user has signed in
 * @see OpenID Connect Core §3.1.2.3, §3.1.2.4
 */
export function nextStep(situation: Situation): NextStep {
  const { session, account, request } = situation;
  const silent = request.prompts.includes('none');
  if (!session || !account || !honoursSignIn(situation, session, account)) {
    if (silent) throw new OAuthError('login_required', 'The user has to sign in.');
    return { kind: 'sign_in' };
  }
  if (isAnotherUser(request, session)) {
    if (silent || isFresh(situation, session)) {
      throw new OAuthError('login_required', 'Another user than the hinted one is signed in.');
    }
    return { kind: 'sign_in' };
  }
  if (!needsConsent(situation)) return { kind: 'respond', session, account };
  if (silent) throw new OAuthError('consent_required', 'The user has to consent.');
  return { kind: 'consent', session, account };
}

/** Whether a sign-in is recent enough for a request, and still stands. */
export function honoursSignIn(
  situation: Pick<Situation, 'request' | 'now' | 'waitingSince'>,
  session: Session,
  account: Account,
): boolean {
  if (!honoursSignInAt(account, session.authenticatedAt)) return false;
  if (isFresh(situation, session)) return true;
  const { request, now } = situation;
  if (request.prompts.includes('login') || request.prompts.includes('select_account')) return false;
  return request.maxAgeS === undefined || now - session.authenticatedAt < request.maxAgeS * 1000;
}

/** Signed in for this very request, so that it is not asked for again. */
function isFresh({ waitingSince }: Pick<Situation, 'waitingSince'>, session: Session): boolean {
  return waitingSince !== undefined && session.authenticatedAt >= waitingSince;
}

/** Whether the request hints at another user than the one who signed in. */
export function isAnotherUser({ hintedSubject }: AuthorizationRequest, session: Session): boolean {
  return hintedSubject !== undefined && hintedSubject !== session.subject;
}

/**
 * A client on someone's device can be impersonated by another app there, so its requests are always shown.
 *
 * @see RFC 8252 §8.6
 */
function needsConsent({ request, client, allowedScopes }: Situation): boolean {
  if (request.prompts.includes('consent')) return true;
  if (client.application_type === 'native') return true;
  return !client.first_party && !includesAll(allowedScopes, request.scopes);
}
