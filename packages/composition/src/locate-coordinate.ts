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

/** Where the schemas define what a coordinate names; of what is gone, what was around it. A schema is read when it has the word. */
export class CoordinateIndex {
  readonly #schemas: readonly SchemaCoordinates[];

  constructor(subgraphs: readonly SubgraphSchema[]) {
    this.#schemas = subgraphs.map((subgraph) => new SchemaCoordinates(subgraph));
  }

  /**
   * The nearest that is known: `Type.field(argument:)`, `Type.field`, `Type`.
   *
   * @throws GraphQLError where a schema is none: it was composed before
   */
  locate(coordinate: string): readonly SourceLocation[] {
    const [, type = ''] = /^(\w+)(?:$|[.(])/.exec(coordinate) ?? [];
    const [, field] = /^(\w+\.\w+)\(/.exec(coordinate) ?? [];
    const schemas = this.#schemas.filter(({ sdl }) => type !== '' && sdl.includes(type));
    for (const name of [coordinate, field, type]) {
      const nodes = name === undefined ? [] : schemas.flatMap((schema) => schema.nodesOf(name));
      if (nodes.length > 0) return nodes.map(locationOf).filter((place) => place !== undefined);
    }
    return [];
  }
}

/** The nodes of one schema. */
class SchemaCoordinates {
  readonly sdl: string;
  readonly #source: string;
  #nodes: Map<string, ASTNode[]> | undefined;

  constructor({ sdl, source }: SubgraphSchema) {
    this.sdl = sdl;
    this.#source = source;
  }

  nodesOf(coordinate: string): readonly ASTNode[] {
    return (this.#nodes ??= this.#read()).get(coordinate) ?? [];
  }

  #read(): Map<string, ASTNode[]> {
    const nodes = new Map<string, ASTNode[]>();
    for (const node of parse(new Source(this.sdl, this.#source)).definitions)
      if (isTypeDefinitionNode(node) || isTypeExtensionNode(node)) readType(node, nodes);
    return nodes;
  }
}

function readType(node: TypeDefinitionNode | TypeExtensionNode, nodes: Map<string, ASTNode[]>): void {
  const type = node.name.value;
  const add = (coordinate: string, named: ASTNode): void => {
    const known = nodes.get(coordinate);
    if (known) known.push(named);
    else nodes.set(coordinate, [named]);
  };
  add(type, node);
  const fields = 'fields' in node ? (node.fields ?? []) : [];
  const values = 'values' in node ? (node.values ?? []) : [];
  const members: readonly (ASTNode & { readonly name: NameNode })[] = [...fields, ...values];
  for (const member of members) {
    const coordinate = `${type}.${member.name.value}`;
    add(coordinate, member);
    if (!('arguments' in member)) continue;
    for (const argument of member.arguments ?? [])
      if ('type' in argument) add(`${coordinate}(${argument.name.value}:)`, argument);
  }
}
