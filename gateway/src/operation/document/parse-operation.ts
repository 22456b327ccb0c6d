import { GraphQLError, parse, type DocumentNode } from 'graphql';
import { mayHoldUnfitText } from '@trellis/admission';
import type { OperationLimits } from '../../settings/limits.ts';
import type { TextRules } from '../../request/refuse-unfit-texts.ts';
import { refuseUnfitTokens } from './refuse-unfit-tokens.ts';
import { RequestRefused, refused, tooComplex } from '../../errors.ts';

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
 * @throws RequestRefused GRAPHQL_PARSE_ERROR for malformed syntax and for text nested too deeply to parse;
 *   QUERY_TOO_COMPLEX for more lexical tokens than the limit; BAD_REQUEST for characters that texts must not hold
 */
export function parseOperation(text: string, limits: ParsingLimits): ParsedOperation {
  const { tokens: maxTokens } = limits;
  try {
    const document = parse(text, { maxLexicalTokens: maxTokens });
    if (mayHoldUnfitText(text)) refuseUnfitTokens(document, limits);
    return { document, tokens: document.tokenCount ?? maxTokens };
  } catch (error) {
    throw refusalOf(error, maxTokens);
  }
}

function refusalOf(error: unknown, maxTokens: number): unknown {
  if (error instanceof RangeError)
    // the parser is recursive: the stack ends somewhere near 2,000 levels
    return refused('GRAPHQL_PARSE_ERROR', 'Syntax Error: The document is nested too deeply.');
  if (!(error instanceof GraphQLError)) return error;
  if (TOKEN_LIMIT_MESSAGE.test(error.message)) return tooComplex('tokens', maxTokens, maxTokens + 1);
  const { message, source, positions } = error;
  return new RequestRefused([
    new GraphQLError(message, { source, positions, extensions: { code: 'GRAPHQL_PARSE_ERROR' } }),
  ]);
}
