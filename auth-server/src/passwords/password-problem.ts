import { isCommonPassword } from './common-passwords.ts';
import { canonicalPassword } from './canonical-password.ts';

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 1_024;

/** Why a password can't be chosen. */
export type PasswordProblem = 'short' | 'long' | 'common' | 'personal';

/** What a password must not be made of: words that an attacker of the account knows. */
export interface PasswordContext {
  readonly email: string;
  readonly name: string;
  /** The server's own name. */
  readonly issuer: string;
}

/** What must be left of a password without the words of its context. */
const MIN_OWN_CHARACTERS = 6;
const MIN_WORD_LENGTH = 3;

/**
 * Judges a password that someone chooses; undefined where there is nothing against it. Characters are counted as code
 * points, and no kinds of characters are demanded.
 *
 * @see NIST SP 800-63B §3.1.1.2
 */
export function passwordProblem(typed: string, context: PasswordContext): PasswordProblem | undefined {
  if (typed.length > MAX_PASSWORD_LENGTH) return 'long';
  const password = canonicalPassword(typed);
  if (lengthOf(password) < MIN_PASSWORD_LENGTH) return 'short';
  if (isCommonPassword(password)) return 'common';
  return isPersonal(password, context) ? 'personal' : undefined;
}

function isPersonal(password: string, context: PasswordContext): boolean {
  let own = password.toLowerCase();
  for (const word of contextWords(context)) own = own.replaceAll(word, '');
  return lengthOf(own) < Math.min(MIN_OWN_CHARACTERS, lengthOf(password));
}

/** In code points: half a surrogate pair is no character. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** The longest first: an address before the words in it. */
function contextWords({ email, name, issuer }: PasswordContext): readonly string[] {
  const texts = [email, name, new URL(issuer).hostname].map((text) => canonicalPassword(text).toLowerCase());
  const words = texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  return [...new Set(words)]
    .filter((word) => word.length >= MIN_WORD_LENGTH)
    .toSorted((left, right) => right.length - left.length);
}

const SENTENCES: Readonly<Record<PasswordProblem, string>> = {
  short: `must have at least ${MIN_PASSWORD_LENGTH} characters`,
  long: `must have at most ${MAX_PASSWORD_LENGTH} characters`,
  common: 'is one of the passwords that are guessed first; choose another one',
  personal: 'is made of the e-mail address, the name or the name of this server; add words of your own',
};

/** Says what is wrong with a password, as the rest of a sentence. */
export function describePasswordProblem(problem: PasswordProblem): string {
  return SENTENCES[problem];
}
