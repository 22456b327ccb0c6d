import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';
import { capabilitiesOf } from '../../supergraph/service-introspection.ts';
import { IntrospectionPart, type IntrospectionRoots } from './introspection-part.ts';
import { countEach, referencesTo, weightOne, type Members, type References } from './type-references.ts';

/** Counts a schema: no operation is walked over it. What is asked of lists of lists of types is counted by the longest list. */
export function introspectionRoots(schema: GraphQLSchema): IntrospectionRoots {
  const parts = new SchemaParts(schema);
  return { __schema: parts.schema(), __type: parts.anyType(), __service: serviceRoot() };
}

function serviceRoot(): IntrospectionPart {
  return new IntrospectionPart().lead('capabilities', capabilitiesOf('').length);
}

/** What introspection lists of one type. */
interface TypeLists {
  readonly fields: readonly GraphQLField<unknown, unknown>[];
  readonly inputFields: readonly { readonly type: GraphQLType }[];
  readonly enumValues: readonly unknown[];
  readonly interfaces: readonly GraphQLNamedType[];
  readonly possibleTypes: readonly GraphQLNamedType[];
}
type TypeList = keyof TypeLists;

/** How often the types of a part lead to others before these are counted by the longest list of any. */
const EXACT_STEPS = 1;

class SchemaParts {
  readonly #schema: GraphQLSchema;
  readonly #lists: ReadonlyMap<GraphQLNamedType, TypeLists>;
  /** Any type that others refer to. */
  readonly #referenced = new IntrospectionPart();
  readonly #all: IntrospectionPart;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
    const types = Object.values(schema.getTypeMap());
    this.#lists = new Map(types.map((type) => [type, listsOf(schema, type)]));
    const lists = [...this.#lists.values()];
    const directiveArguments = schema.getDirectives().flatMap(({ args }) => args);
    const referenced = new Set([...lists.flatMap(referencesFrom), ...directiveArguments.map(namedTypeOf)]);
    this.#longest(this.#referenced, this.#listsOf(referenced)).lead('ofType', 1, this.#referenced);
    this.#all = this.#longest(new IntrospectionPart(), lists);
  }

  schema(): IntrospectionPart {
    const types = [...this.#lists.keys()];
    const directives = this.#schema.getDirectives();
    const part = new IntrospectionPart()
      .lead('types', types.length, this.#types([countEach(types)], 0, EXACT_STEPS))
      .lead('directives', directives.length, this.#directives());
    const roots = {
      queryType: this.#schema.getQueryType(),
      mutationType: this.#schema.getMutationType(),
      subscriptionType: this.#schema.getSubscriptionType(),
    };
    for (const [field, type] of Object.entries(roots))
      if (type) part.lead(field, 1, this.#types([countEach([type])], 0, EXACT_STEPS));
    return part;
  }

  anyType(): IntrospectionPart {
    return this.#all;
  }

  #directives(): IntrospectionPart {
    const directives = this.#schema.getDirectives();
    const given = directives.flatMap(({ args }) => args);
    const locations = directives.flatMap((directive) => directive.locations);
    return new IntrospectionPart()
      .lead(
        'args',
        given.length / directives.length,
        this.#values(referencesTo(weightOne(given)), EXACT_STEPS),
      )
      .lead('locations', locations.length / directives.length);
  }

  /** Types with as many lists and non-nulls around them, or more. */
  #types(references: References, wrappers: number, steps: number): IntrospectionPart {
    const members = references[wrappers] ?? new Map<GraphQLNamedType, number>();
    const wrapped = sum(references.slice(wrappers + 1).map(sizeOf));
    const total = sizeOf(members) + wrapped;
    const part = new IntrospectionPart();
    if (wrapped > 0) part.lead('ofType', wrapped / total, this.#types(references, wrappers + 1, steps));
    return this.#leadToLists(part, members, total, steps);
  }

  #leadToLists(part: IntrospectionPart, members: Members, total: number, steps: number): IntrospectionPart {
    const mean = (list: TypeList): number =>
      sum([...members].map(([type, count]) => count * this.#listOf(type, list).length)) / total;
    return part
      .lead('fields', mean('fields'), this.#fields(members, steps))
      .lead('inputFields', mean('inputFields'), this.#values(this.#typesIn(members, 'inputFields'), steps))
      .lead('enumValues', mean('enumValues'))
      .lead('interfaces', mean('interfaces'), this.#step([this.#namedIn(members, 'interfaces')], steps))
      .lead(
        'possibleTypes',
        mean('possibleTypes'),
        this.#step([this.#namedIn(members, 'possibleTypes')], steps),
      );
  }

  #fields(members: Members, steps: number): IntrospectionPart {
    const fields = [...members].flatMap(([type, count]) =>
      this.#listOf(type, 'fields').map((field) => [field, count] as const),
    );
    const given = fields.flatMap(([{ args }, count]) => args.map((arg) => [arg, count] as const));
    const mean = sum(given.map(([, count]) => count)) / sum(fields.map(([, count]) => count));
    return new IntrospectionPart()
      .lead('args', mean, this.#values(referencesTo(given), steps))
      .lead('type', 1, this.#step(referencesTo(fields), steps));
  }

  /** Arguments and input fields. */
  #values(references: References, steps: number): IntrospectionPart {
    return new IntrospectionPart().lead('type', 1, this.#step(references, steps));
  }

  #step(references: References, steps: number): IntrospectionPart {
    return steps > 0 ? this.#types(references, 0, steps - 1) : this.#referenced;
  }

  /** Any of some types: whichever has the longest list. */
  #longest(part: IntrospectionPart, lists: readonly TypeLists[]): IntrospectionPart {
    const longest = (list: TypeList): number => max(lists.map((each) => each[list].length));
    const value = new IntrospectionPart().lead('type', 1, this.#referenced);
    const most = max(lists.flatMap(({ fields }) => fields.map(({ args }) => args.length)));
    const field = new IntrospectionPart().lead('type', 1, this.#referenced).lead('args', most, value);
    return part
      .lead('fields', longest('fields'), field)
      .lead('inputFields', longest('inputFields'), value)
      .lead('enumValues', longest('enumValues'))
      .lead('interfaces', longest('interfaces'), this.#referenced)
      .lead('possibleTypes', longest('possibleTypes'), this.#referenced);
  }

  #listOf<List extends TypeList>(type: GraphQLNamedType, list: List): TypeLists[List] | readonly [] {
    return this.#lists.get(type)?.[list] ?? [];
  }

  #listsOf(types: Iterable<GraphQLNamedType>): readonly TypeLists[] {
    return [...types].flatMap((type) => this.#lists.get(type) ?? []);
  }

  #typesIn(members: Members, list: 'inputFields'): References {
    return referencesTo(
      [...members].flatMap(([type, count]) => this.#listOf(type, list).map((each) => [each, count] as const)),
    );
  }

  #namedIn(members: Members, list: 'interfaces' | 'possibleTypes'): Members {
    const named = new Map<GraphQLNamedType, number>();
    for (const [type, count] of members)
      for (const each of this.#listOf(type, list)) named.set(each, (named.get(each) ?? 0) + count);
    return named;
  }
}

function listsOf(schema: GraphQLSchema, type: GraphQLNamedType): TypeLists {
  const hasFields = isObjectType(type) || isInterfaceType(type);
  return {
    fields: hasFields ? Object.values(type.getFields()) : [],
    inputFields: isInputObjectType(type) ? Object.values(type.getFields()) : [],
    enumValues: isEnumType(type) ? type.getValues() : [],
    interfaces: hasFields ? type.getInterfaces() : [],
    possibleTypes: isInterfaceType(type) || isUnionType(type) ? schema.getPossibleTypes(type) : [],
  };
}

function referencesFrom(lists: TypeLists): readonly GraphQLNamedType[] {
  const { fields, inputFields, interfaces, possibleTypes } = lists;
  const typed = [...fields, ...fields.flatMap(({ args }) => args), ...inputFields];
  return [...typed.map(namedTypeOf), ...interfaces, ...possibleTypes];
}

function namedTypeOf({ type }: { readonly type: GraphQLType }): GraphQLNamedType {
  return getNamedType(type);
}

function sizeOf(members: Members): number {
  return sum([...members.values()]);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function max(values: readonly number[]): number {
  return values.reduce((largest, value) => Math.max(largest, value), 0);
}
