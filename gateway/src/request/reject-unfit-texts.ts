import { characterProblem, unfitTextIn, type TextKind } from '@trellis/runtime/admission';
import { rejected } from '../errors.ts';
import type { GraphRequest } from './context.ts';

/** Which characters texts of clients may hold. */
export interface TextRules {
  /** Whether they may embed, override or isolate a direction of writing. Marks (LRM, RLM, ALM) always may. */
  readonly bidiControls: boolean;
}

/** Names of members come from clients: no longer ones are sent back. */
const MAX_PATH_CHARACTERS = 100;

/** What texts of clients are by these rules: paragraphs, or whatever can be stored. */
export function textKindOf({ bidiControls }: TextRules): TextKind {
  return bidiControls ? 'opaque' : 'lines';
}

/**
 * Judges all that a request holds beside its document, which is judged when it is parsed. Meant for requests of which
 * `mayHoldUnfitText` is true: it looks at each text.
 *
 * @throws RequestError BAD_REQUEST
 */
export function rejectUnfitTexts(request: GraphRequest, rules: TextRules): void {
  const { documentId, operationName, variables, extensions } = request;
  const unfit = unfitTextIn({ documentId, operationName, variables, extensions }, textKindOf(rules));
  if (unfit) throw rejected('BAD_REQUEST', `"${unfit.path.slice(0, MAX_PATH_CHARACTERS)}" ${unfit.problem}.`);
}

/**
 * Judges the value of a header that goes on to subgraphs. Node reads its bytes as Latin-1.
 *
 * @throws RequestError BAD_REQUEST
 */
export function rejectUnfitHeader(name: string, value: string, rules: TextRules): void {
  if (!BEYOND_ASCII.test(value)) return;
  const problem = characterProblem(Buffer.from(value, 'latin1').toString('utf8'), textKindOf(rules));
  if (problem !== undefined) throw rejected('BAD_REQUEST', `The header "${name}" ${problem}.`);
}

const BEYOND_ASCII = /[\x80-\xff]/;
