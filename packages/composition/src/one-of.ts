import {
  DirectiveLocation,
  Kind,
  parse,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  type InputObjectTypeDefinitionNode,
  type InputObjectTypeExtensionNode,
} from 'graphql';

const ONE_OF = 'oneOf';

const INPUT_OBJECT: string = DirectiveLocation.INPUT_OBJECT;

const DEFINITION = `directive @${ONE_OF} on ${INPUT_OBJECT}`;

/** A definition of an input object, or an extension of one. */
type InputObjectNode = InputObjectTypeDefinitionNode | InputObjectTypeExtensionNode;

/** The definitions and extensions of input objects in a schema. */
export function inputObjectsOf({ definitions }: DocumentNode): readonly InputObjectNode[] {
  return definitions.filter(isInputObject);
}

/** The names of the input objects that a schema marks with the `@oneOf` of the GraphQL specification. */
export function oneOfInputs(document: DocumentNode): ReadonlySet<string> {
  if (document.definitions.some(isForeignDefinition)) return new Set();
  const marked = inputObjectsOf(document).filter(({ directives = [] }) => directives.some(isOneOf));
  return new Set(marked.map(({ name }) => name.value));
}

/**
 * A subgraph's schema without `@oneOf`, which Apollo's composer does not know: it rejects the directive where a schema
 * does not define it, and loses it where one does. {@link markOneOf} puts it into the supergraph.
 */
export function withoutOneOf(document: DocumentNode): DocumentNode {
  if (oneOfInputs(document).size === 0) return document;
  return {
    ...document,
    definitions: document.definitions
      .filter((node) => !isDefinition(node))
      .map((node) => (isInputObject(node) ? withoutDirective(node) : node)),
  };
}

/**
 * Marks input objects of a supergraph as `@oneOf`, in the form in which other composers write it: the directive is defined,
 * and stands behind those of composition.
 *
 * @param supergraphSdl as the composer printed it
 */
export function markOneOf(supergraphSdl: string, names: ReadonlySet<string>): string {
  if (names.size === 0) return supergraphSdl;
  const document = parse(supergraphSdl);
  const marks = document.definitions
    .filter((node) => node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && names.has(node.name.value))
    .map((node) => ({ at: endOfHead(node as InputObjectTypeDefinitionNode), text: `\n  @${ONE_OF}` })); // by its kind
  const firstDirective = document.definitions.find(({ kind }) => kind === Kind.DIRECTIVE_DEFINITION);
  const definition = { at: firstDirective?.loc?.start ?? 0, text: `${DEFINITION}\n\n` };
  return insertAll(supergraphSdl, marks.length === 0 ? [] : [...marks, definition]);
}

function isInputObject(node: DefinitionNode): node is InputObjectNode {
  return node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION || node.kind === Kind.INPUT_OBJECT_TYPE_EXTENSION;
}

function isOneOf({ name }: ConstDirectiveNode): boolean {
  return name.value === ONE_OF;
}

function isDefinition(node: DefinitionNode): node is DirectiveDefinitionNode {
  return node.kind === Kind.DIRECTIVE_DEFINITION && node.name.value === ONE_OF;
}

/** A directive of a subgraph's own that has the name. It is left to the composer. */
function isForeignDefinition(node: DefinitionNode): boolean {
  if (!isDefinition(node)) return false;
  const onInputsAlone = node.locations.every(({ value }) => value === INPUT_OBJECT);
  return !onInputsAlone || (node.arguments ?? []).length > 0;
}

function withoutDirective(node: InputObjectNode): InputObjectNode {
  return { ...node, directives: (node.directives ?? []).filter((directive) => !isOneOf(directive)) };
}

/** Where the directives of a definition end, or its name. */
function endOfHead({ name, directives = [] }: InputObjectTypeDefinitionNode): number {
  return directives.at(-1)?.loc?.end ?? name.loc?.end ?? 0; // parsed with places
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

function insertAll(text: string, insertions: readonly Insertion[]): string {
  const fromTheEnd = insertions.toSorted((left, right) => right.at - left.at);
  return fromTheEnd.reduce(
    (before, { at, text: inserted }) => before.slice(0, at) + inserted + before.slice(at),
    text,
  );
}
