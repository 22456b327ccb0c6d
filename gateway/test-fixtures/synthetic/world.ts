import { buildSubgraphSchema } from '@apollo/subgraph';
import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  visit,
  type DirectiveNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { hashOf } from '@trellis/testkit/random';
import type { GraphDefinition } from './subgraph-definition.ts';

/**
 * An object of the world: a type and a number. Everything else about it follows from these, so that every subgraph, and
 * an executor over the whole schema, know the same about it without sharing a line of data.
 */
export interface Instance {
  readonly __typename: string;
  readonly number: number;
  /** What the gateway sent the subgraph about it: required fields are read from here. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** How many instances a type has. */
const POPULATION = 24;

/** What a field's value follows from. */
export interface FieldQuestion {
  readonly instance: Instance;
  readonly field: GraphQLField<unknown, unknown>;
  /** As coerced by graphql-js. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The values of fields that this one requires, in canonical JSON. */
  readonly required: string;
}

/** The data of a graph. */
export interface World {
  /** The response to a field, the same for every caller. */
  valueOf(question: FieldQuestion): unknown;
  /** The instance that a representation speaks of. */
  instanceOf(representation: Readonly<Record<string, unknown>>): Instance;
  /** The selection that a field of a subgraph requires. */
  requirementOf(subgraph: string, typeName: string, fieldName: string): SelectionSetNode | undefined;
  /** The subgraph whose requirement holds for a field, wherever it is defined. */
  requirementAnywhere(typeName: string, fieldName: string): OwnedRequirement | undefined;
  /** Names of the fields that keys and requirements are made of, at any depth. */
  readonly namesInFieldSets: ReadonlySet<string>;
  /** Names of the fields that require others. */
  readonly requiringNames: ReadonlySet<string>;
  /** The executable schema of a subgraph, without resolvers. */
  schemaOf(subgraph: string): GraphQLSchema;
}

/** A requirement and who states it. */
export interface OwnedRequirement {
  readonly subgraph: string;
  /** The type that the field is declared on there: perhaps an interface that the subgraph takes for an object. */
  readonly typeName: string;
  readonly selection: SelectionSetNode;
}

/** Reads the definitions of a graph once. */
export function createWorld(graph: GraphDefinition): World {
  const schemas = new Map(graph.subgraphs.map(({ name, typeDefs }) => [name, buildSubgraphSchema(typeDefs)]));
  const facts = readFacts(graph);
  const choices = new Choices(schemas, facts);

  const composite = (type: GraphQLNamedType, question: FieldQuestion, seed: string): Instance => {
    const { field, instance } = question;
    if (facts.isKey(instance.__typename, field.name))
      return choices.instance(type.name, field.name, instance.number, 0);
    return choices.instance(
      type.name,
      field.name,
      hashOf(`${seed} number`) % POPULATION,
      hashOf(`${seed} type`),
    );
  };

  const leaf = (type: GraphQLNamedType, question: FieldQuestion, seed: string): unknown => {
    const { field, instance } = question;
    if (facts.isKey(instance.__typename, field.name)) {
      return type.name === 'Int' ? instance.number : `${field.name}-${instance.number}`;
    }
    return leafValue(type, hashOf(seed), choices.enumValues(type));
  };

  const value = (type: GraphQLOutputType, question: FieldQuestion, seed: string): unknown => {
    const isKey = facts.isKey(question.instance.__typename, question.field.name);
    if (!isNonNullType(type) && !isKey && hashOf(`${seed} null`) % 9 === 0) return null;
    const inner = getNullableType(type);
    if (isListType(inner)) {
      const length = hashOf(`${seed} length`) % 4;
      const item = inner.ofType;
      return Array.from({ length }, (_, index) => value(item, question, `${seed}/${index}`));
    }
    const named = getNamedType(inner);
    return isCompositeType(named) ? composite(named, question, seed) : leaf(named, question, seed);
  };

  return {
    valueOf(question) {
      const { field, instance, values, required } = question;
      const seed = `${field.name}(${canonical(values)})#${instance.number}${required}`;
      return value(field.type, question, seed);
    },
    instanceOf(representation) {
      const typeName = String(representation['__typename']);
      return {
        __typename: typeName,
        number: numberOf(representation, typeName, facts),
        given: representation,
      };
    },
    requirementOf: (subgraph, typeName, fieldName) =>
      facts.requirements.get(subgraph)?.get(`${typeName}.${fieldName}`),
    requirementAnywhere(typeName, fieldName) {
      for (const [subgraph, requirements] of facts.requirements) {
        const selection = requirements.get(`${typeName}.${fieldName}`);
        if (selection) return { subgraph, typeName, selection };
      }
      return undefined;
    },
    namesInFieldSets: facts.namesInFieldSets,
    requiringNames: new Set(
      [...facts.requirements.values()].flatMap((requirements) =>
        [...requirements.keys()].map((field) => field.slice(field.indexOf('.') + 1)),
      ),
    ),
    schemaOf(subgraph) {
      const schema = schemas.get(subgraph);
      if (!schema) throw new RangeError(`There is no subgraph ${subgraph}.`);
      return schema;
    },
  };
}

/** JSON with sorted keys, and without what says nothing. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([key, member]) => key !== '__typename' && member !== undefined)
            .toSorted(([left], [right]) => (left < right ? -1 : 1)),
        )
      : inner,
  );
}

function leafValue(type: GraphQLNamedType, hash: number, enumValues: readonly string[]): unknown {
  if (isEnumType(type)) return enumValues[hash % enumValues.length];
  switch (type.name) {
    case 'Int':
      return (hash % 2001) - 1000;
    case 'Float':
      return (hash % 4000) / 8 - 250;
    case 'Boolean':
      return hash % 2 === 0;
    case 'String':
    case 'ID':
      return TEXTS[hash % TEXTS.length] + hash.toString(36);
    default:
      return { scalar: type.name, hash };
  }
}

/** What JSON escapes, what has several bytes, what looks like markup. */
const TEXTS = [
  'plain ',
  'a "quoted" ',
  'back\\slash ',
  'line\nbreak ',
  'žluťoučký ',
  '日本 ',
  '𝄞 ',
  '</script> ',
  '',
  '\u2028',
];

function numberOf(representation: Readonly<Record<string, unknown>>, typeName: string, facts: Facts): number {
  for (const [name, value] of Object.entries(representation)) {
    if (!facts.isKey(typeName, name)) continue;
    if (typeof value === 'number') return value;
    const [, digits] = typeof value === 'string' ? (/-(\d+)$/.exec(value) ?? []) : [];
    if (digits !== undefined) return Number(digits);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return numberOf(value as Record<string, unknown>, '', facts.anyKey);
    }
  }
  throw new Error(`No key in ${JSON.stringify(representation)}.`);
}

interface Facts {
  readonly namesInFieldSets: ReadonlySet<string>;
  isKey(typeName: string, fieldName: string): boolean;
  readonly anyKey: Facts;
  /** Interfaces that are entities. */
  readonly entityInterfaces: ReadonlySet<string>;
  /** By subgraph, then by `Type.field`. */
  readonly requirements: ReadonlyMap<string, ReadonlyMap<string, SelectionSetNode>>;
}

function readFacts(graph: GraphDefinition): Facts {
  const keys = new Set<string>();
  const keyNames = new Set<string>();
  const namesInFieldSets = new Set<string>();
  const entityInterfaces = new Set<string>();
  const requirements = new Map<string, Map<string, SelectionSetNode>>();
  for (const { name, typeDefs } of graph.subgraphs) {
    const required = new Map<string, SelectionSetNode>();
    requirements.set(name, required);
    for (const definition of typeDefs.definitions) {
      if (!('name' in definition) || !('fields' in definition)) continue;
      const typeName = definition.name?.value ?? '';
      for (const directive of definition.directives ?? []) {
        if (directive.name.value !== 'key') continue;
        if (definition.kind === Kind.INTERFACE_TYPE_DEFINITION) entityInterfaces.add(typeName);
        visit(fieldSet(directive), {
          Field(node: FieldNode) {
            keys.add(`${typeName}.${node.name.value}`);
            keyNames.add(node.name.value);
            namesInFieldSets.add(node.name.value);
          },
        });
      }
      for (const field of definition.fields ?? []) {
        const requires = field.directives?.find((directive) => directive.name.value === 'requires');
        if (!requires) continue;
        const selection = fieldSet(requires);
        required.set(`${typeName}.${field.name.value}`, selection);
        visit(selection, { Field: (node) => void namesInFieldSets.add(node.name.value) });
      }
    }
  }
  // A key's nested fields are keys of the types they are on: by name alone is enough for test graphs.
  const isKey = (typeName: string, fieldName: string): boolean =>
    keys.has(`${typeName}.${fieldName}`) || (keyNames.has(fieldName) && fieldName === 'id');
  const facts = { isKey, entityInterfaces, requirements, namesInFieldSets };
  return {
    ...facts,
    anyKey: { ...facts, isKey: (_typeName, name) => keyNames.has(name), anyKey: undefined as never },
  };
}

function fieldSet(directive: DirectiveNode): SelectionSetNode {
  const value = directive.arguments?.find(({ name }) => name.value === 'fields')?.value;
  const text = value?.kind === Kind.STRING ? value.value : '';
  const [definition] = parse(`{ ${text} }`).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`Not a field set: ${text}`);
  return definition.selectionSet;
}

/** Chooses among members and values that every subgraph which answers a field knows. */
class Choices {
  readonly #schemas: ReadonlyMap<string, GraphQLSchema>;
  readonly #facts: Facts;

  constructor(schemas: ReadonlyMap<string, GraphQLSchema>, facts: Facts) {
    this.#schemas = schemas;
    this.#facts = facts;
  }

  /** @param hash chooses the type where several are possible */
  instance(typeName: string, fieldName: string, number: number, hash: number): Instance {
    const types = this.#objectTypes(typeName, fieldName);
    if (this.#facts.entityInterfaces.has(typeName)) {
      return { __typename: types[number % types.length] ?? typeName, number };
    }
    const chosen = types[hash % types.length] ?? typeName;
    return { __typename: chosen, number: this.#numberFor(chosen, number) };
  }

  enumValues(type: GraphQLNamedType): readonly string[] {
    const sets = [...this.#schemas.values()]
      .map((schema) => schema.getType(type.name))
      .filter((candidate) => isEnumType(candidate))
      .map((candidate) => candidate.getValues().map(({ name }) => name));
    return intersection(sets);
  }

  /** The type of an entity that implements an entity interface follows from its number, for all who ask. */
  #numberFor(typeName: string, number: number): number {
    for (const name of this.#facts.entityInterfaces) {
      const types = this.#objectTypes(name, '');
      const index = types.indexOf(typeName);
      if (index !== -1) return number - (number % types.length) + index;
    }
    return number;
  }

  #objectTypes(typeName: string, fieldName: string): readonly string[] {
    const isEntityInterface = this.#facts.entityInterfaces.has(typeName);
    const sets = [...this.#schemas.values()]
      .filter((schema) => isEntityInterface || respondsWith(schema, typeName, fieldName))
      .map((schema) => possibleNames(schema, typeName))
      .filter((names) => names !== undefined);
    return isEntityInterface ? union(sets) : intersection(sets);
  }
}

function possibleNames(schema: GraphQLSchema, typeName: string): readonly string[] | undefined {
  const type = schema.getType(typeName);
  if (!isAbstractType(type)) return undefined;
  return schema.getPossibleTypes(type).map(({ name }) => name);
}

/** Whether a subgraph has a field of this name with this abstract type. */
function respondsWith(schema: GraphQLSchema, typeName: string, fieldName: string): boolean {
  return Object.values(schema.getTypeMap()).some((type) => {
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[fieldName] : undefined;
    return field !== undefined && getNamedType(field.type).name === typeName;
  });
}

function intersection(sets: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = sets;
  return first.filter((name) => others.every((set) => set.includes(name))).toSorted();
}

function union(sets: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(sets.flat())].toSorted();
}
