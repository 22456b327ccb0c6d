import { GraphQLError, parse, type DocumentNode, TokenKind } from 'graphql';
import { mayHoldUnfitText, characterProblem } from '@trellis/admission';
import type { OperationLimits } from '../../settings/limits.ts';
import { type TextRules, textKindOf } from '../../request/reject-unfit-texts.ts';
import { RequestError, rejected, tooComplex } from '../../errors.ts';

/** What graphql-js says when it meets the token after the last one allowed; it has no code for that. */
const TOKEN_LIMIT_MESSAGE = /^Syntax Error: Document contains more tha[nt] \d+ tokens/;

/** A document, and how many lexical tokens it has. */
export interface ParsedOperation {
  readonly document: DocumentNode;
  readonly tokens: number;
}

/** What bounds a document before anything is known of it. */
export type ParsingLimits = Pick<OperationLimits, 'tokens'> & TextRules;

/**
 * Stage: text → document.
 *
 * @throws RequestError GRAPHQL_PARSE_ERROR for malformed syntax and for text nested too deeply to parse;
 *   QUERY_TOO_COMPLEX for more lexical tokens than the limit; BAD_REQUEST for characters that texts must not hold
 */
export function parseOperation(text: string, limits: ParsingLimits): ParsedOperation {
  const { tokens: maxTokens } = limits;
  try {
    const document = parse(text, { maxLexicalTokens: maxTokens });
    if (mayHoldUnfitText(text)) rejectUnfitTokens(document, limits);
    return { document, tokens: document.tokenCount ?? maxTokens };
  } catch (error) {
    throw rejectionOf(error, maxTokens);
  }
}

function rejectionOf(error: unknown, maxTokens: number): unknown {
  if (error instanceof RangeError)
    // the parser is recursive: the stack ends somewhere near 2,000 levels
    return rejected('GRAPHQL_PARSE_ERROR', 'Syntax Error: The document is nested too deeply.');
  if (!(error instanceof GraphQLError)) return error;
  if (TOKEN_LIMIT_MESSAGE.test(error.message)) return tooComplex('tokens', maxTokens, maxTokens + 1);
  const { message, source, positions } = error;
  return new RequestError([
    new GraphQLError(message, { source, positions, extensions: { code: 'GRAPHQL_PARSE_ERROR' } }),
  ]);
}

/** Tokens that hold whatever their author likes; all others are ASCII. */
const TEXTS: ReadonlySet<string> = new Set([TokenKind.STRING, TokenKind.BLOCK_STRING, TokenKind.COMMENT]);

/**
 * Judges the strings and comments of a document: strings go on to subgraphs, and comments show to all who read the document in a
 * log or a review.
 *
 * @throws RequestError BAD_REQUEST
 */
function rejectUnfitTokens({ loc }: DocumentNode, rules: TextRules): void {
  const kind = textKindOf(rules);
  for (let token = loc?.startToken ?? null; token; token = token.next) {
    const problem = TEXTS.has(token.kind) ? characterProblem(token.value, kind) : undefined;
    if (problem === undefined) continue;
    throw rejected('BAD_REQUEST', `A text in line ${token.line}, column ${token.column} ${problem}.`);
  }
}
