import { domainToASCII } from 'node:url';

/**
 * The one spelling of an e-mail address under which accounts are found and failures are counted: whatever is typed, there is
 * one. Compatibility characters and case make no difference (NFKC), and a domain is written as in DNS.
 *
 * Lower case is JavaScript's: İ (U+0130), for which PostgreSQL's `lower` gives `i`, stays another letter. So the database
 * never lowers an address; it compares what this function has written.
 *
 * @see RFC 5891, https://www.unicode.org/reports/tr15/
 */
export function canonicalEmail(typed: string): string {
  const text = lowerCase(typed.normalize('NFKC').trim());
  const at = text.lastIndexOf('@');
  if (at === -1) return text;
  const domain = text.slice(at + 1);
  return `${text.slice(0, at)}@${domainToASCII(domain) || domain}`;
}

/** `toLowerCase` once may leave what is not NFKC, and knows two small letters for Σ. */
function lowerCase(text: string): string {
  return text.toLowerCase().normalize('NFKC').replaceAll('ς', 'σ');
}
