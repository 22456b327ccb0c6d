/** What no text may hold as it is, or few may; halves of surrogate pairs can't stand in UTF-8. */
const UNFIT = /[\0\u202A-\u202E\u2066-\u2069]/;

/**
 * Whether a text of JSON or GraphQL may hold, as they are or escaped, NUL, a half of a surrogate pair, or what embeds, overrides
 * or isolates a direction. It is quick, and true as well for texts with harmless escapes: then what was parsed has to be judged.
 */
export function mayHoldUnfitText(text: string): boolean {
  return text.includes('\\u') || UNFIT.test(text);
}
