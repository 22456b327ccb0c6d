import { characterProblem } from '@trellis/admission';
import { TokenKind, type DocumentNode } from 'graphql';
import { refused } from '../../errors.ts';
import { textKindOf, type TextRules } from '../../request/refuse-unfit-texts.ts';

/** Tokens that hold whatever their author likes; all others are ASCII. */
const TEXTS: ReadonlySet<string> = new Set([TokenKind.STRING, TokenKind.BLOCK_STRING, TokenKind.COMMENT]);

/**
 * Judges the strings and comments of a document: strings go on to subgraphs, and comments show to all who read the document in a
 * log or a review.
 *
 * @throws RequestRefused BAD_REQUEST
 */
export function refuseUnfitTokens({ loc }: DocumentNode, rules: TextRules): void {
  const kind = textKindOf(rules);
  for (let token = loc?.startToken ?? null; token; token = token.next) {
    const problem = TEXTS.has(token.kind) ? characterProblem(token.value, kind) : undefined;
    if (problem === undefined) continue;
    throw refused('BAD_REQUEST', `A text in line ${token.line}, column ${token.column} ${problem}.`);
  }
}
