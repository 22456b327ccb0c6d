import { characterProblem } from './character-problem.ts';

/** Which characters the name of a file may hold. */
export interface FileNameRules {
  /** Whether it may embed, override or isolate a direction of writing. @default false */
  readonly bidiControls?: boolean;
}

const BIDI_CONTROLS = /\p{Bidi_Control}/gu;
/** ALM, LRM, RLM: what names of files have that the system made of a date in Arabic. */
const MARKS = /[\u{061C}\u{200E}\u{200F}]/gu;

/**
 * What is wrong with the name of a file, or with its media type, as a client sends it: it is one line, which may hold marks of
 * direction. To be said after its name; undefined where nothing is.
 */
export function fileNameProblem(
  name: string,
  { bidiControls = false }: FileNameRules = {},
): string | undefined {
  // A blank in place of each: without it, halves of a surrogate pair around a mark would become a character.
  return characterProblem(name.replaceAll(bidiControls ? BIDI_CONTROLS : MARKS, ' '), 'line');
}
