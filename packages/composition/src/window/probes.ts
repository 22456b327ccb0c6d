import { own } from '@trellis/runtime/own-property';
import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/** How a type is reached: a field of another type, and perhaps a condition on what it returns. */
interface Edge {
  readonly parent: string;
  readonly field: Field;
  /** The type is one of those that the field may return. */
  readonly condition: string | undefined;
}

/** Ways to a type that are tried: those of other subgraphs may go by other keys. */
const MAX_WAYS = 4;
/** Fields that are asked for of a type that differs itself. */
const MAX_FIELDS_OF_TYPE = 50;

/** Writes the shortest operations that reach a field. */
export class ProbeWriter {
  readonly #schema: GraphQLSchema;
  /** By type, from the nearest. */
  readonly #edges = new Map<string, Edge[]>();
  readonly #distance = new Map<string, number>();
  #byType: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
    this.#explore();
  }

  /** Operations that ask for a field, each by another way; none where no operation reaches it. */
  forField(coordinate: string): readonly string[] {
    const [typeName = '', fieldName = ''] = coordinate.split('.');
    const type = this.#schema.getType(typeName);
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    const field = own(type.getFields(), fieldName);
    if (!field) return [];
    const root = this.#rootKind(typeName);
    if (root !== undefined) return [new ProbeText().whole(root, [], field)];
    return (this.#edges.get(typeName) ?? []).slice(0, MAX_WAYS).flatMap((edge) => {
      const way = this.#wayTo(edge);
      const kind = way[0] && this.#rootKind(way[0].parent);
      return kind === undefined ? [] : [new ProbeText().whole(kind, way, field)];
    });
  }

  /** Operations that ask for the fields of a type, and for fields that return or take it. */
  forType(name: string): readonly string[] {
    const type = this.#schema.getType(name);
    const fields = isObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : [];
    const coordinates = [
      ...fields.slice(0, MAX_FIELDS_OF_TYPE).map((field) => `${name}.${field}`),
      ...(this.#usersOf().get(name) ?? []),
    ];
    return coordinates.flatMap((coordinate) => this.forField(coordinate));
  }

  /** Operations that take an input type; none where the name is that of another. */
  forInput(name: string): readonly string[] {
    return isInputObjectType(this.#schema.getType(name)) ? this.forType(name) : [];
  }

  #rootKind(typeName: string): 'query' | 'mutation' | 'subscription' | undefined {
    if (this.#schema.getQueryType()?.name === typeName) return 'query';
    if (this.#schema.getMutationType()?.name === typeName) return 'mutation';
    return this.#schema.getSubscriptionType()?.name === typeName ? 'subscription' : undefined;
  }

  #explore(): void {
    const roots = [
      this.#schema.getQueryType(),
      this.#schema.getMutationType(),
      this.#schema.getSubscriptionType(),
    ];
    const pending = roots.filter((type) => type !== null && type !== undefined).map(({ name }) => name);
    for (const name of pending) this.#distance.set(name, 0);
    for (let next = pending.shift(); next !== undefined; next = pending.shift())
      pending.push(...this.#exploreType(next));
  }

  #exploreType(name: string): readonly string[] {
    const type = this.#schema.getType(name);
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    const found: string[] = [];
    for (const field of Object.values(type.getFields())) {
      const returned = getNamedType(field.type);
      if (!isCompositeType(returned)) continue;
      found.push(...this.#note(returned.name, { parent: name, field, condition: undefined }));
      for (const possible of this.#possible(returned))
        found.push(...this.#note(possible, { parent: name, field, condition: possible }));
    }
    return found;
  }

  #possible(type: GraphQLNamedType): readonly string[] {
    return isAbstractType(type) ? this.#schema.getPossibleTypes(type).map(({ name }) => name) : [];
  }

  #note(name: string, edge: Edge): readonly string[] {
    const edges = this.#edges.get(name) ?? [];
    if (edges.length < MAX_WAYS) edges.push(edge);
    this.#edges.set(name, edges);
    if (this.#distance.has(name)) return [];
    this.#distance.set(name, (this.#distance.get(edge.parent) ?? 0) + 1);
    return [name];
  }

  /** From a root to an edge: each parent by its first edge, which is the nearest. */
  #wayTo(edge: Edge): readonly Edge[] {
    const way = [edge];
    for (let [first] = way; first && this.#rootKind(first.parent) === undefined; [first] = way) {
      const nearest = this.#edges.get(first.parent)?.[0];
      if (!nearest || way.length > this.#distance.size) return [];
      way.unshift(nearest);
    }
    return way;
  }

  /** Coordinates of fields that return, or take, each type without fields of its own. */
  #usersOf(): ReadonlyMap<string, readonly string[]> {
    if (this.#byType) return this.#byType;
    const users = new Map<string, string[]>();
    const note = (type: GraphQLNamedType, coordinate: string, seen: Set<string>): void => {
      if (seen.has(type.name)) return;
      seen.add(type.name);
      const known = users.get(type.name) ?? [];
      if (known.length < MAX_FIELDS_OF_TYPE) users.set(type.name, [...known, coordinate]);
      if (isInputObjectType(type))
        for (const field of Object.values(type.getFields())) note(getNamedType(field.type), coordinate, seen);
    };
    for (const type of Object.values(this.#schema.getTypeMap())) {
      if (type.name.startsWith('__') || !(isObjectType(type) || isInterfaceType(type))) continue;
      for (const field of Object.values(type.getFields())) {
        const seen = new Set<string>();
        note(getNamedType(field.type), `${type.name}.${field.name}`, seen);
        for (const { type: taken } of field.args)
          note(getNamedType(taken), `${type.name}.${field.name}`, seen);
      }
    }
    return (this.#byType = users);
  }
}

class ProbeText {
  readonly #variables: string[] = [];

  /** With all arguments of the last field, and those of others that are required. */
  whole(kind: string, way: readonly Edge[], last: Field): string {
    const leaf = isCompositeType(getNamedType(last.type)) ? ' { __typename }' : '';
    let text = `${last.name}${this.#given(last.args)}${leaf}`;
    for (const { field, condition } of way.toReversed()) {
      const inner = condition === undefined ? text : `... on ${condition} { ${text} }`;
      text = `${field.name}${this.#given(field.args.filter(isRequiredArgument))} { ${inner} }`;
    }
    const declared = this.#variables.length > 0 ? `(${this.#variables.join(', ')})` : '';
    return `${kind} Probe${declared} { ${text} }`;
  }

  #given(args: readonly GraphQLArgument[]): string {
    if (args.length === 0) return '';
    const given = args.map(({ name, type }) => {
      const variable = `$v${this.#variables.length}`;
      this.#variables.push(`${variable}: ${String(type)}`);
      return `${name}: ${variable}`;
    });
    return `(${given.join(', ')})`;
  }
}
