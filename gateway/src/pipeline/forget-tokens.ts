import { Kind, type ASTNode, type DocumentNode, type Location } from 'graphql';

/** Nodes that errors of a valid document name: their places in the text are kept. */
const NAMED_BY_ERRORS: ReadonlySet<string> = new Set<string>([Kind.FIELD, Kind.VARIABLE_DEFINITION]);

/**
 * Takes the tokens out of a document that was validated, and places in the text that nobody will be told of. The tokens, and
 * what ties each node to them, are two thirds of what a document takes up.
 */
export function forgetTokens(document: DocumentNode): void {
  forgetIn(document);
}

/** The parser makes plain objects with these members alone; nobody else has them yet. */
type WritableNode = { loc?: Location | undefined } & Readonly<Record<string, unknown>>;

function forgetIn(node: ASTNode): void {
  const writable = node as unknown as WritableNode;
  const { loc } = writable;
  writable.loc = loc && NAMED_BY_ERRORS.has(node.kind) ? withoutTokens(loc) : undefined;
  for (const key in writable) forgetBelow(writable[key]);
}

function forgetBelow(value: unknown): void {
  if (Array.isArray(value)) value.forEach(forgetBelow);
  else if (isNode(value)) forgetIn(value);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Errors read the start and the source. */
function withoutTokens({ start, end, source }: Location): Location {
  return { start, end, source } as Location;
}
