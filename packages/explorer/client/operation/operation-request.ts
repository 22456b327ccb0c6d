import {
  getOperationAST,
  Kind,
  OperationTypeNode,
  parse,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';

/** An operation as it is sent. */
export interface OperationRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName?: string | undefined;
}

/** Parses a document; one that can't be parsed is sent all the same, so that the graph says what is wrong. */
export function parseDocument(query: string): DocumentNode | undefined {
  try {
    return parse(query);
  } catch {
    return undefined;
  }
}

/** The operation of a document that runs: the only one, or the one with this name. */
export function operationOf(query: string, name: string | undefined): OperationDefinitionNode | undefined {
  const document = parseDocument(query);
  return (document && getOperationAST(document, name)) ?? undefined;
}

/** Names of the operations of a document. */
export function operationNames(query: string): readonly string[] {
  const definitions = parseDocument(query)?.definitions ?? [];
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION && definition.name ? [definition.name.value] : [],
  );
}

/** Whether results of an operation come one after the other, without end. */
export function isStream({ query, operationName }: OperationRequest): boolean {
  const operation = operationOf(query, operationName);
  return (
    operation?.operation === OperationTypeNode.SUBSCRIPTION ||
    (operation?.directives ?? []).some(({ name }) => name.value === 'live')
  );
}

/** Reads an object as JSON: nothing where the text is empty. @throws Error where it is no object */
export function readObject(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object');
  return value as Readonly<Record<string, unknown>>; // checked in the line before
}
