/**
 * What a text is:
 * - `opaque`: whatever a client or a user keeps for itself, such as a password;
 * - `token`: what is compared or handed on and never shown as a sentence, such as a parameter of a protocol;
 * - `line`: a name, a title, an address: one line that is shown among others;
 * - `lines`: paragraphs that someone writes.
 */
export type TextKind = 'opaque' | 'token' | 'line' | 'lines';

/** What PostgreSQL can't store, and what is no text: the character zero, and halves of surrogate pairs. */
const UNSTORABLE = /[\0\p{Cs}]/u;
const CONTROL = /\p{Cc}/u;
/** What changes the direction of text: marks, and whatever opens or closes an embedding, an override or an isolate. UAX #9 §2 */
const BIDI_CONTROL = /\p{Bidi_Control}/u;
/**
 * The same without the marks (ALM, LRM, RLM), which stand for one character that is not seen: keyboards for Arabic and Hebrew
 * write them. The others reorder all that follows, beyond the end of the text where they are not closed.
 */
const REORDERING = /[\u{202A}-\u{202E}\u{2066}-\u{2069}]/u;

/**
 * What is wrong with the characters of a text, to be said after its name; undefined where nothing is.
 *
 * @see Unicode Standard Annex #9; Unicode Technical Standard #39 §5; "Trojan Source", CVE-2021-42574
 */
export function characterProblem(text: string, kind: TextKind): string | undefined {
  if (UNSTORABLE.test(text)) return 'must be well-formed Unicode without the character zero';
  if (kind === 'opaque') return undefined;
  if (kind === 'line' && CONTROL.test(text)) return 'must be one line';
  const changesDirection = kind === 'lines' ? REORDERING.test(text) : BIDI_CONTROL.test(text);
  return changesDirection ? 'must not hold characters that change the direction of text' : undefined;
}
