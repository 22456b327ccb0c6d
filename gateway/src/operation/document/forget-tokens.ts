import { Kind, type ASTNode, type DocumentNode, type Location } from 'graphql';

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

/** The parser makes plain objects with these members alone; no one else has them yet. */
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
