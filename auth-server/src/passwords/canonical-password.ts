/**
 * A password as it is hashed: however a keyboard composes é, it is one password.
 *
 * @see NIST SP 800-63B §3.1.1.2, https://www.unicode.org/reports/tr15/
 */
export function canonicalPassword(typed: string): string {
  return typed.normalize('NFKC');
}
