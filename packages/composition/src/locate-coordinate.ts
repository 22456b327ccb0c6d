import {
  isTypeDefinitionNode,
  isTypeExtensionNode,
  parse,
  Source,
  type ASTNode,
  type NameNode,
  type TypeDefinitionNode,
  type TypeExtensionNode,
} from 'graphql';
import type { SourceLocation } from './diagnostic.ts';
import { locationOf } from './source-position.ts';
import type { SubgraphSchema } from './subgraph-schema.ts';

/** Where the schemas define what a coordinate names; of what is gone, what was around it. */
export class CoordinateIndex {
  readonly #places = new Map<string, SourceLocation[]>();

  /** @throws GraphQLError where a schema is none: it was composed before */
  constructor(subgraphs: readonly SubgraphSchema[]) {
    for (const { sdl, source } of subgraphs)
      for (const node of parse(new Source(sdl, source)).definitions)
        if (isTypeDefinitionNode(node) || isTypeExtensionNode(node)) this.#readType(node);
  }

  /** The nearest that is known: `Type.field(argument:)`, `Type.field`, `Type`. */
  locate(coordinate: string): readonly SourceLocation[] {
    const [, field] = /^(\w+\.\w+)\(/.exec(coordinate) ?? [];
    const [, type] = /^(\w+)\./.exec(coordinate) ?? [];
    for (const name of [coordinate, field, type]) {
      const places = name === undefined ? undefined : this.#places.get(name);
      if (places) return places;
    }
    return [];
  }

  #readType(node: TypeDefinitionNode | TypeExtensionNode): void {
    const type = node.name.value;
    this.#add(type, node);
    const fields = 'fields' in node ? (node.fields ?? []) : [];
    const values = 'values' in node ? (node.values ?? []) : [];
    const members: readonly (ASTNode & { readonly name: NameNode })[] = [...fields, ...values];
    for (const member of members) {
      const coordinate = `${type}.${member.name.value}`;
      this.#add(coordinate, member);
      if (!('arguments' in member)) continue;
      for (const argument of member.arguments ?? [])
        if ('type' in argument) this.#add(`${coordinate}(${argument.name.value}:)`, argument);
    }
  }

  #add(coordinate: string, node: ASTNode): void {
    const place = locationOf(node);
    if (!place) return;
    const known = this.#places.get(coordinate);
    if (known) known.push(place);
    else this.#places.set(coordinate, [place]);
  }
}
