import type { UsedRequestObject } from './request-object.ts';

/** What a page may be asked for. OpenID Connect Core §3.1.2.1 */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account';

/** How an authorization response reaches the client: in the query of a redirect, or in a form that the browser posts. */
export type ResponseMode = 'query' | 'form_post';

/** Where an authorization response goes: known to be good from the client's registration. */
export interface RedirectTarget {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state?: string | undefined;
  readonly responseMode: ResponseMode;
  /** Whether it may get errors before anybody knows who the user is. RFC 9700 §4.11.2 */
  readonly vetted: boolean;
}

/** An authorization request in which everything has been checked. */
export interface AuthorizationRequest extends RedirectTarget {
  /** The registration of the client that asks. */
  readonly clientIncarnation: string;
  readonly scopes: readonly string[];
  /** The one resource that tokens are for. */
  readonly audience: string;
  /** S256; undefined for a client that is exempt from PKCE. */
  readonly codeChallenge: string | undefined;
  readonly nonce?: string | undefined;
  /** Thumbprint of the only key that may exchange the code. RFC 9449 §10 */
  readonly keyThumbprint?: string | undefined;
  readonly prompts: readonly Prompt[];
  /** Seconds since the sign-in that are still acceptable. */
  readonly maxAgeS?: number | undefined;
  /** The only account that will do, from an id_token_hint. */
  readonly hintedSubject?: string | undefined;
  /** How long its code may live, seconds; absent in requests that an earlier version has sealed. */
  readonly codeTtlS?: number | undefined;
  /** The request object that it came in. RFC 9101 */
  readonly requestObject?: UsedRequestObject | undefined;
  /** The pushed request that it came from, which is good for one code. RFC 9126 */
  readonly pushedId?: string | undefined;
  /** Fills the form. */
  readonly loginHint?: string | undefined;
  /** Languages that the user prefers, best first. */
  readonly uiLocales?: string | undefined;
}
