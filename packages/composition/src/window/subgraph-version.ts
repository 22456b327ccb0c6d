import {
  buildASTSchema,
  Kind,
  OperationTypeNode,
  parse,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  type OperationTypeDefinitionNode,
  type SelectionSetNode,
  type TypeDefinitionNode,
} from 'graphql';
import { applied } from '../changes/applied-directives.ts';
import { parseFieldSet } from '../changes/field-set.ts';
import { federationNames, type FederationDirective, type FederationNames } from './federation-names.ts';
import { mergeDefinitions, operationTypesOf } from './merge-definitions.ts';

/** What a subgraph says of one of its fields. */
interface FieldRules {
  readonly isExternal: boolean;
  readonly requires: SelectionSetNode | undefined;
  readonly provides: SelectionSetNode | undefined;
}

const NO_RULES: FieldRules = { isExternal: false, requires: undefined, provides: undefined };

/**
 * One version of a subgraph as it would respond to requests of a gateway: its own schema with `_entities`, and what it says of keys
 * and of fields that others resolve.
 */
export class SubgraphVersion {
  /** With `_entities` and `_service`. */
  readonly schema: GraphQLSchema;
  /** Field sets by which it finds entities of a type. */
  readonly keys: ReadonlyMap<string, readonly SelectionSetNode[]>;
  readonly #fields: ReadonlyMap<string, FieldRules>;
  readonly #keyFields: ReadonlySet<string>;

  constructor(document: DocumentNode) {
    const names = federationNames(document);
    const types = mergeDefinitions(document);
    const keys = [...types].map(([name, type]) => ({ name, ...keysOf(type, names) }));
    this.keys = new Map(keys.map(({ name, resolvable }) => [name, resolvable]));
    this.#keyFields = new Set(
      keys.flatMap(({ name, all }) =>
        all.flatMap((set) => topFields(set).map((field) => `${name}.${field}`)),
      ),
    );
    this.#fields = new Map([...types.values()].flatMap((type) => fieldRules(type, names)));
    const entities = keys.filter(
      ({ name, all }) => all.length > 0 && types.get(name)?.kind === Kind.OBJECT_TYPE_DEFINITION,
    );
    this.schema = executableSchema(
      document,
      types,
      entities.map(({ name }) => name),
    );
  }

  /** What a field needs of its object. */
  requiresOf(coordinate: string): SelectionSetNode | undefined {
    return this.#rulesOf(coordinate).requires;
  }

  /** What a field brings of fields that others resolve. */
  providesOf(coordinate: string): SelectionSetNode | undefined {
    return this.#rulesOf(coordinate).provides;
  }

  /** Whether it only knows a field from what it is sent. */
  isExternal(coordinate: string): boolean {
    return this.#rulesOf(coordinate).isExternal && !this.#keyFields.has(coordinate);
  }

  #rulesOf(coordinate: string): FieldRules {
    return this.#fields.get(coordinate) ?? NO_RULES;
  }
}

function keysOf(
  { directives }: TypeDefinitionNode,
  names: FederationNames,
): { readonly all: readonly SelectionSetNode[]; readonly resolvable: readonly SelectionSetNode[] } {
  const keys = applied(directives, names('key')).flatMap(({ fields, resolvable }) => {
    const set = parseFieldSet(String(fields));
    return set ? [{ set, isResolvable: resolvable !== false }] : [];
  });
  return {
    all: keys.map(({ set }) => set),
    resolvable: keys.filter(({ isResolvable }) => isResolvable).map(({ set }) => set),
  };
}

function topFields({ selections }: SelectionSetNode): readonly string[] {
  return selections.flatMap((node) => (node.kind === Kind.FIELD ? [node.name.value] : []));
}

function fieldRules(
  type: TypeDefinitionNode,
  names: FederationNames,
): readonly (readonly [string, FieldRules])[] {
  if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
  const isWholeExternal = has(type.directives, names('external'));
  return (type.fields ?? []).map((field) => [
    `${type.name.value}.${field.name.value}`,
    {
      isExternal: isWholeExternal || has(field.directives, names('external')),
      requires: fieldSetOf(field, names, 'requires'),
      provides: fieldSetOf(field, names, 'provides'),
    },
  ]);
}

function has(directives: readonly ConstDirectiveNode[] | undefined, name: string): boolean {
  return (directives ?? []).some((directive) => directive.name.value === name);
}

function fieldSetOf(
  { directives }: FieldDefinitionNode,
  names: FederationNames,
  directive: FederationDirective,
): SelectionSetNode | undefined {
  const [values] = applied(directives, names(directive));
  return typeof values?.['fields'] === 'string' ? parseFieldSet(values['fields']) : undefined;
}

const MACHINERY = parse('scalar _Any type _Service { sdl: String }', { noLocation: true }).definitions;

function executableSchema(
  { definitions }: DocumentNode,
  types: ReadonlyMap<string, TypeDefinitionNode>,
  entities: readonly string[],
): GraphQLSchema {
  const roots = rootsOf(operationTypesOf(definitions), types);
  const query =
    roots.find(({ operation }) => operation === OperationTypeNode.QUERY)?.type.name.value ?? 'Query';
  const known = [...types].filter(
    ([name]) => name !== query && !['_Any', '_Entity', '_Service'].includes(name),
  );
  const directives = definitions.filter((node) => node.kind === Kind.DIRECTIVE_DEFINITION);
  const all: readonly DefinitionNode[] = [
    ...known.map(([, type]) => type),
    ...directives,
    ...MACHINERY,
    ...(entities.length > 0
      ? parse(`union _Entity = ${entities.join(' | ')}`, { noLocation: true }).definitions
      : []),
    queryType(query, types.get(query), entities.length > 0),
    { kind: Kind.SCHEMA_DEFINITION, operationTypes: roots },
  ];
  return buildASTSchema(
    { kind: Kind.DOCUMENT, definitions: all },
    { assumeValid: true, assumeValidSDL: true },
  );
}

function rootsOf(
  named: readonly OperationTypeDefinitionNode[],
  types: ReadonlyMap<string, TypeDefinitionNode>,
): readonly OperationTypeDefinitionNode[] {
  const usual: readonly (readonly [OperationTypeNode, string])[] = [
    [OperationTypeNode.QUERY, 'Query'],
    [OperationTypeNode.MUTATION, 'Mutation'],
    [OperationTypeNode.SUBSCRIPTION, 'Subscription'],
  ];
  return usual.flatMap(([operation, name]) => {
    const given = named.find((root) => root.operation === operation);
    if (given) return [given];
    if (operation !== OperationTypeNode.QUERY && !types.has(name)) return [];
    return [rootOf(operation, name)];
  });
}

function rootOf(operation: OperationTypeNode, name: string): OperationTypeDefinitionNode {
  const type = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: name } } as const;
  return { kind: Kind.OPERATION_TYPE_DEFINITION, operation, type };
}

function queryType(name: string, type: TypeDefinitionNode | undefined, hasEntities: boolean): DefinitionNode {
  const entities = hasEntities ? '_entities(representations: [_Any!]!): [_Entity]!' : '';
  const [own] = parse(`type ${name} { _service: _Service! ${entities} }`, { noLocation: true }).definitions;
  if (own?.kind !== Kind.OBJECT_TYPE_DEFINITION) throw new TypeError('A text above is a type.');
  if (type?.kind !== Kind.OBJECT_TYPE_DEFINITION) return own;
  const others = (type.fields ?? []).filter((field) => !field.name.value.startsWith('_'));
  return { ...type, fields: [...others, ...(own.fields ?? [])] };
}
