import type { AccountName } from './account-name.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { SignIn } from './sign-in.ts';

/** How users sign in, and what keeps others from guessing. */
export interface SignInFeatures {
  readonly accountName: AccountName;
  readonly hasher: PasswordHasher;
  readonly signIn: SignIn;
  /** Limits guesses of the codes that devices show. */
  readonly userCodeLimiter: AttemptLimiter;
}
