import { demoPeople } from './demo-people.ts';
import { fullScope, signIn, type SignInOptions } from './sign-in.ts';

/** Access tokens by who signed in and for what, so that a file signs each in once. */
export class TokenBook {
  readonly #issuer: string;
  readonly #tokens = new Map<string, Promise<string>>();

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  /** An access token from the real flow. */
  of(name: keyof typeof demoPeople, scope: string = fullScope, options: SignInOptions = {}): Promise<string> {
    const key = JSON.stringify([name, scope, options.resource]);
    const known = this.#tokens.get(key);
    if (known) return known;
    const token = signIn(this.#issuer, { user: demoPeople[name], scope, ...options }).then(
      ({ access_token: accessToken }) => accessToken,
    );
    this.#tokens.set(key, token);
    return token;
  }
}
