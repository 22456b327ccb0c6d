import {
  GraphQLError,
  parse,
  type DocumentNode,
  TokenKind,
  Kind,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  print,
  type ASTNode,
  type Location,
} from 'graphql';
import { mayHoldUnfitText, characterProblem } from '@trellis/runtime/admission';
import type { OperationLimits } from '../../settings/limits.ts';
import { type TextRules, textKindOf } from '../../request/reject-unfit-texts.ts';
import { RequestError, rejected, tooComplex } from '../../errors.ts';

/** What graphql-js says when it meets the token after the last one allowed; it has no code for that. */
const TOKEN_LIMIT_MESSAGE = /^Syntax Error: Document contains more tha[nt] \d+ tokens/;

/** A document, and how many lexical tokens it has. */
interface ParsedOperation {
  readonly document: DocumentNode;
  readonly tokens: number;
}

/** What bounds a document before anything is known of it. */
type ParsingLimits = Pick<OperationLimits, 'tokens'> & TextRules;

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

/** The fragments of a document, by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Finds the fragments of a document; of two with one name, which validation rejects, the last. */
export function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/** Rejects a fragment that spreads itself, with the words that validation has for it. */
export function fragmentCycle(spread: FragmentSpreadNode): RequestError {
  const message = `Cannot spread fragment "${spread.name.value}" within itself.`;
  return new RequestError([
    new GraphQLError(message, { nodes: spread, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }),
  ]);
}

/** As it was written, where that is known: what was parsed is not changed before it is planned. */
export function nodeText(node: ASTNode): string {
  const { loc } = node;
  return loc ? loc.source.body.slice(loc.start, loc.end) : print(node);
}

/** Nodes that errors of a valid document name: their places in the text are stored. */
const NAMED_BY_ERRORS: ReadonlySet<string> = new Set<string>([Kind.FIELD, Kind.VARIABLE_DEFINITION]);

/** In which members of a node others may be, by its kind: to know costs less than to look. */
const BELOW: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [Kind.NAME, []],
  [Kind.DOCUMENT, ['definitions']],
  [Kind.OPERATION_DEFINITION, ['description', 'name', 'variableDefinitions', 'directives', 'selectionSet']],
  [Kind.VARIABLE_DEFINITION, ['description', 'variable', 'type', 'defaultValue', 'directives']],
  [Kind.SELECTION_SET, ['selections']],
  [Kind.FIELD, ['alias', 'name', 'arguments', 'directives', 'selectionSet']],
  [Kind.ARGUMENT, ['name', 'value']],
  [Kind.FRAGMENT_SPREAD, ['name', 'directives']],
  [Kind.INLINE_FRAGMENT, ['typeCondition', 'directives', 'selectionSet']],
  [Kind.DIRECTIVE, ['name', 'arguments']],
  [Kind.VARIABLE, ['name']],
  [Kind.NAMED_TYPE, ['name']],
  [Kind.LIST_TYPE, ['type']],
  [Kind.NON_NULL_TYPE, ['type']],
  [Kind.INT, []],
  [Kind.STRING, []],
  [Kind.BOOLEAN, []],
]);

/**
 * Removes the tokens of a validated document, and the source locations that no error will report. The tokens, and
 * what ties each node to them, are two thirds of what a document takes up.
 */
export function forgetTokens(document: DocumentNode): void {
  forgetIn(document);
}

/** The parser makes plain objects with these members alone; they are not shared yet. */
type WritableNode = { loc?: Location | undefined } & Readonly<Record<string, unknown>>;

function forgetIn(node: ASTNode): void {
  const writable = node as unknown as WritableNode;
  const { loc } = writable;
  writable.loc = loc && NAMED_BY_ERRORS.has(node.kind) ? withoutTokens(loc) : undefined;
  const members = BELOW.get(node.kind) ?? Object.keys(writable);
  for (const member of members) forgetBelow(writable[member]);
}

function forgetBelow(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) for (const item of value) forgetBelow(item);
  else if ('kind' in value) forgetIn(value as ASTNode);
}

/** Errors read the start and the source. */
function withoutTokens({ start, end, source }: Location): Location {
  return { start, end, source } as Location;
}
