import {
  getLocation,
  isTypeDefinitionNode,
  isTypeExtensionNode,
  Kind,
  print,
  visit,
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type NameNode,
} from 'graphql';
import type { SourceLocation } from './diagnostic.ts';

/**
 * Where a node stands: at the name of a definition, because the definition itself begins at its description. Undefined for
 * nodes that were made and not parsed.
 */
export function locationOf(node: ASTNode): SourceLocation | undefined {
  const name = 'name' in node && node.kind !== Kind.DIRECTIVE ? node.name : undefined;
  const loc = name?.loc ?? node.loc;
  if (!loc) return undefined;
  const { line, column } = getLocation(loc.source, loc.start);
  return { source: loc.source.name, line, column };
}

/** The places that define `Type.field` in a schema, extensions included. */
export function locateField(document: DocumentNode, coordinate: string): readonly SourceLocation[] {
  const [typeName, fieldName] = coordinate.split('.');
  return document.definitions
    .filter((node) => isTypeDefinitionNode(node) || isTypeExtensionNode(node))
    .filter(({ name }) => name.value === typeName)
    .flatMap((type): readonly NamedNode[] => ('fields' in type ? (type.fields ?? []) : []))
    .filter(({ name }) => name.value === fieldName)
    .map(locationOf)
    .filter((location) => location !== undefined);
}

type NamedNode = ASTNode & { readonly name: NameNode };

/** The places where a schema applies a directive with just these arguments. */
export function locateDirective(document: DocumentNode, directive: DirectiveNode): readonly SourceLocation[] {
  const text = print(directive);
  const found: (SourceLocation | undefined)[] = [];
  visit(document, {
    Directive(node) {
      if (print(node) === text) found.push(locationOf(node));
    },
  });
  return found.filter((location) => location !== undefined);
}
