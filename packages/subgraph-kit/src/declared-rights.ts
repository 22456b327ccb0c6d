import {
  Kind,
  parse,
  valueFromASTUntyped,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type SelectionSetNode,
  type TypeNode,
} from 'graphql';

/** Names of which one set suffices, each set as a whole: `[["a", "b"], ["c"]]` is (a and b) or c. */
export type AnyOf = readonly (readonly string[])[];

/** What a caller has to bring for a field. All of it must hold. */
export interface DeclaredRight {
  /** From `@authenticated`. */
  readonly authenticated: boolean;
  /** From `@requiresScopes`, one entry for each place that has it. */
  readonly scopes: readonly AnyOf[];
  /** From `@policy`, one entry for each place that has it. */
  readonly policies: readonly AnyOf[];
}

const FEDERATION = 'https://specs.apollo.dev/federation/';

/**
 * Reads what a subgraph's schema demands for its fields: by the field, the type that it is of, and the type that it returns. Keys
 * are open: the gateway reads them to join objects, for every caller; to clients it gives them by the same rules as all else.
 *
 * @returns by coordinate, `Post.title`; nothing is demanded where absent
 */
export function readDeclaredRights(document: DocumentNode): ReadonlyMap<string, DeclaredRight> {
  const types = readTypes(document);
  const readOwn = createRightReader(document);
  const open = keyFieldsOf(types, nameOf(document, 'key'));
  const rights = new Map<string, DeclaredRight>();
  for (const { name, isObject, directives, fields } of types.values()) {
    if (!isObject) continue;
    for (const field of fields.values()) {
      const returned = types.get(namedType(field.type))?.directives ?? [];
      const right = readOwn([...directives, ...(field.directives ?? []), ...returned]);
      const coordinate = `${name}.${field.name.value}`;
      if (isDemanding(right) && !open.has(coordinate)) rights.set(coordinate, right);
    }
  }
  return rights;
}

function isDemanding({ authenticated, scopes, policies }: DeclaredRight): boolean {
  return authenticated || scopes.length > 0 || policies.length > 0;
}

/** A type with all of its extensions. */
interface DeclaredType {
  readonly name: string;
  readonly isObject: boolean;
  readonly directives: readonly ConstDirectiveNode[];
  readonly fields: ReadonlyMap<string, FieldDefinitionNode>;
}

const OBJECTS: ReadonlySet<string> = new Set([Kind.OBJECT_TYPE_DEFINITION, Kind.OBJECT_TYPE_EXTENSION]);

function readTypes({ definitions }: DocumentNode): ReadonlyMap<string, DeclaredType> {
  const types = new Map<string, DeclaredType>();
  for (const definition of definitions) {
    if (!/Type(?:Definition|Extension)$/.test(definition.kind) || !('name' in definition)) continue;
    const name = definition.name?.value ?? '';
    const before = types.get(name);
    const own = 'fields' in definition ? (definition.fields ?? []) : [];
    const fields = own.filter((field) => field.kind === Kind.FIELD_DEFINITION);
    const directives = (definition.directives ?? []).filter(isConstant);
    types.set(name, {
      name,
      isObject: OBJECTS.has(definition.kind),
      directives: [...(before?.directives ?? []), ...directives],
      fields: new Map([
        ...(before?.fields ?? []),
        ...fields.map((field) => [field.name.value, field] as const),
      ]),
    });
  }
  return types;
}

/** In a schema they all are. */
function isConstant(directive: { readonly kind: Kind }): directive is ConstDirectiveNode {
  return directive.kind === Kind.DIRECTIVE;
}

function createRightReader(
  document: DocumentNode,
): (directives: readonly ConstDirectiveNode[]) => DeclaredRight {
  const names = {
    authenticated: nameOf(document, 'authenticated'),
    scopes: nameOf(document, 'requiresScopes'),
    policies: nameOf(document, 'policy'),
  };
  return (directives) => {
    const named = (wanted: string): readonly ConstDirectiveNode[] =>
      directives.filter(({ name }) => name.value === wanted);
    return {
      authenticated: named(names.authenticated).length > 0,
      scopes: named(names.scopes).map((directive) => anyOf(argumentOf(directive, 'scopes'))),
      policies: named(names.policies).map((directive) => anyOf(argumentOf(directive, 'policies'))),
    };
  };
}

/** Under which name the schema has a directive of federation: its own, an alias, or one with the prefix of its link. */
function nameOf({ definitions }: DocumentNode, directive: string): string {
  for (const definition of definitions) {
    if (definition.kind !== Kind.SCHEMA_DEFINITION && definition.kind !== Kind.SCHEMA_EXTENSION) continue;
    for (const link of definition.directives ?? []) {
      if (link.name.value !== 'link' || !String(argumentOf(link, 'url')).startsWith(FEDERATION)) continue;
      const imported = argumentOf(link, 'import');
      const name = Array.isArray(imported) ? importedAs(imported, `@${directive}`) : undefined;
      const prefix = argumentOf(link, 'as');
      return name?.slice(1) ?? `${typeof prefix === 'string' ? prefix : 'federation'}__${directive}`;
    }
  }
  return directive;
}

/** Imports are names, or objects that give them another. */
function importedAs(imported: readonly unknown[], name: string): string | undefined {
  for (const entry of imported) {
    if (entry === name) return name;
    if (typeof entry !== 'object' || entry === null || !('name' in entry) || entry.name !== name) continue;
    return 'as' in entry ? String(entry.as) : name;
  }
  return undefined;
}

function argumentOf({ arguments: given = [] }: ConstDirectiveNode, name: string): unknown {
  const argument = given.find((each) => each.name.value === name);
  return argument && valueFromASTUntyped(argument.value);
}

/** Whatever is not a list of lists of names is a requirement that no one meets. A single value stands for a list of it. */
function anyOf(value: unknown): AnyOf {
  if (!Array.isArray(value)) return [];
  return value.map((names: unknown) => (Array.isArray(names) ? names.map(String) : [String(names)]));
}

function keyFieldsOf(types: ReadonlyMap<string, DeclaredType>, key: string): ReadonlySet<string> {
  const coordinates = new Set<string>();
  const add = (set: SelectionSetNode, type: DeclaredType | undefined): void => {
    for (const selection of set.selections) {
      if (selection.kind !== Kind.FIELD || !type) continue;
      coordinates.add(`${type.name}.${selection.name.value}`);
      const field = type.fields.get(selection.name.value);
      if (selection.selectionSet && field) add(selection.selectionSet, types.get(namedType(field.type)));
    }
  };
  for (const type of types.values()) {
    for (const directive of type.directives) {
      const fields = directive.name.value === key ? argumentOf(directive, 'fields') : undefined;
      if (typeof fields === 'string') add(fieldSet(fields), type);
    }
  }
  return coordinates;
}

function fieldSet(fields: string): SelectionSetNode {
  const [definition] = parse(`{ ${fields} }`).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError(`"${fields}" is no field set.`);
  return definition.selectionSet;
}

function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}
