/** How a user has proved who it is, in the words of tokens. */
export interface AuthenticationContext {
  /** The class of it. OpenID Connect Core §2 */
  readonly acr: string;
  /** The methods. RFC 8176 §2 */
  readonly amr: readonly string[];
}

/** A password that came over TLS, under the name that SAML has for it: `acr` wants an address. SAML Authentication Context §3.4 */
export const PASSWORD: AuthenticationContext = Object.freeze({
  acr: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
  amr: Object.freeze(['pwd']),
});

/** Every context that a sign-in here can have. A second factor is a further row, and a member of the session. */
export const authenticationContexts: readonly AuthenticationContext[] = Object.freeze([PASSWORD]);

/** Every `acr`, as discovery lists them. */
export const supportedAcrValues: readonly string[] = Object.freeze(
  authenticationContexts.map(({ acr }) => acr),
);
