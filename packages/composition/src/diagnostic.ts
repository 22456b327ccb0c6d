/** A place in a file that a team owns. */
export interface SourceLocation {
  /** The path as it stands in the configuration, or the URL that the schema came from. */
  readonly source: string;
  /** From 1; absent when only the file is known. */
  readonly line?: number;
  /** From 1; absent when only the file is known. */
  readonly column?: number;
}

/** Something that composition has to say about the subgraphs. */
export interface Diagnostic {
  /** The composer's code, for example `TYPE_KIND_MISMATCH`; own ones are those of the checks and {@link ownCodes}. */
  readonly code: string;
  readonly message: string;
  /** The places concerned, those of the definitions first; empty when there is none. */
  readonly locations: readonly SourceLocation[];
}

/** Codes of diagnostics of our own, beside those of checks. */
export const ownCodes = {
  /** The configuration is not usable. */
  INVALID_CONFIG: 'INVALID_CONFIG',
  /** A schema could not be read from its file or address. */
  SCHEMA_NOT_READABLE: 'SCHEMA_NOT_READABLE',
  /** A type, field or enum value is defined twice in one subgraph, or the text is not GraphQL. */
  INVALID_GRAPHQL: 'INVALID_GRAPHQL',
  /** The configuration pins another version than the one that composes here. */
  OTHER_FEDERATION_VERSION: 'OTHER_FEDERATION_VERSION',
  /** Two composers make different supergraphs of the same subgraphs. */
  COMPOSERS_DIFFER: 'COMPOSERS_DIFFER',
  /** A contract does not compose. */
  INVALID_CONTRACT: 'INVALID_CONTRACT',
  /** A file of recorded operations is not usable. */
  INVALID_OPERATIONS: 'INVALID_OPERATIONS',
  /** The file of approvals is not usable, or an entry of it has no effect. */
  INVALID_APPROVAL: 'INVALID_APPROVAL',
} as const;

/** `file:line:column`, as editors and CI systems link it. */
export function formatLocation({ source, line, column }: SourceLocation): string {
  return [source, line, column].filter((part) => part !== undefined).join(':');
}

/**
 * One diagnostic as text: `file:line:column: CODE: message`, further lines and further places indented below.
 *
 * @example
 * posts.graphql:3:6: TYPE_KIND_MISMATCH: Type "Tag" has mismatched kind: …
 *   also users.graphql:9:6
 */
export function formatDiagnostic({ code, message, locations }: Diagnostic): string {
  const [first, ...others] = locations.map(formatLocation);
  const head = [first, code, message.replaceAll('\n', '\n  ')]
    .filter((part) => part !== undefined)
    .join(': ');
  return [head, ...others.map((location) => `  also ${location}`)].join('\n');
}
