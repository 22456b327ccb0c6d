/** The auth-server answered, and did not sign the account in. The message says why, in words. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed';
}
