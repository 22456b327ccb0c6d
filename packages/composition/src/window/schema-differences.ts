import { Kind, parse, print, visit, type DocumentNode, type TypeDefinitionNode } from 'graphql';
import { mergeDefinitions, operationTypesOf } from './merge-definitions.ts';

/** A subgraph's own schema, parsed once. */
export interface ParsedSubgraph {
  readonly document: DocumentNode;
  /** By type: its text without descriptions. Root types by the names that the supergraph has for them. */
  readonly types: ReadonlyMap<string, TypeText>;
  /** Names of root types, as the supergraph has them. */
  readonly roots: ReadonlySet<string>;
  /** By name with its `@`: the definition of each directive that operations may use. */
  readonly directives: Texts;
}

interface TypeText {
  readonly interfaces: readonly string[];
  /** Of all but its fields. */
  readonly head: string;
  readonly fields: ReadonlyMap<string, string>;
}

/** What differs between two versions of a subgraph. */
export interface SchemaDifferences {
  /** Types of which anything differs; of root types, their fields (`Query.user`); directives of operations (`@mark`). */
  readonly concerned: ReadonlySet<string>;
  /** Coordinates of the fields that differ, were added or removed. */
  readonly fields: ReadonlySet<string>;
  /** Types that differ in more than their fields. */
  readonly types: ReadonlySet<string>;
}

/** Parses a subgraph's own schema. */
export function parseSubgraph(sdl: string): ParsedSubgraph {
  const document = parse(sdl, { noLocation: true });
  const named = operationTypesOf(document.definitions).map(({ operation, type }): [string, string] => [
    type.name.value,
    ROOTS[operation],
  ]);
  const roots = new Map(named);
  const types = [...mergeDefinitions(document)].map(([name, type]): [string, TypeText] => [
    roots.get(name) ?? name,
    textOf(type),
  ]);
  return {
    document,
    types: new Map(types),
    roots: new Set(Object.values(ROOTS)),
    directives: operationDirectives(document),
  };
}

function operationDirectives({ definitions }: DocumentNode): Texts {
  const found = definitions
    .filter((node) => node.kind === Kind.DIRECTIVE_DEFINITION)
    .filter(({ locations }) => locations.some(({ value }) => EXECUTABLE.has(value)));
  return new Map(found.map((node) => [`@${node.name.value}`, print(node)]));
}

const EXECUTABLE: ReadonlySet<string> = new Set([
  'QUERY',
  'MUTATION',
  'SUBSCRIPTION',
  'FIELD',
  'FRAGMENT_DEFINITION',
  'FRAGMENT_SPREAD',
  'INLINE_FRAGMENT',
  'VARIABLE_DEFINITION',
]);

/** The names that root types have in every supergraph, whatever names a subgraph has for its own. */
const ROOTS = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

function textOf(type: TypeDefinitionNode): TypeText {
  const fields = 'fields' in type ? (type.fields ?? []) : [];
  const interfaces = 'interfaces' in type ? (type.interfaces ?? []) : [];
  return {
    interfaces: interfaces.map(({ name }) => name.value),
    head: write({ ...type, fields: [] } as TypeDefinitionNode), // of its kind, without members
    fields: new Map(fields.map((field) => [field.name.value, write(field)])),
  };
}

function write(node: Parameters<typeof print>[0]): string {
  return print(
    visit(node, {
      enter(inner) {
        return 'description' in inner && inner.description && inner.kind !== Kind.DIRECTIVE_DEFINITION
          ? { ...inner, description: undefined }
          : undefined;
      },
    }),
  );
}

/** Compares two versions of a subgraph; one that is absent has nothing. */
export function compareSubgraphs(
  before: ParsedSubgraph | undefined,
  after: ParsedSubgraph | undefined,
): SchemaDifferences {
  const [former, latter] = [
    before?.types ?? new Map<string, TypeText>(),
    after?.types ?? new Map<string, TypeText>(),
  ];
  const concerned = new Set<string>();
  const fields = new Set<string>();
  const types = new Set<string>();
  for (const name of new Set([...former.keys(), ...latter.keys()])) {
    const [was, is] = [former.get(name), latter.get(name)];
    const differing = differingFields(was?.fields, is?.fields);
    for (const field of differing) fields.add(`${name}.${field}`);
    const isRoot = before?.roots.has(name) === true || after?.roots.has(name) === true;
    if (isRoot) for (const field of differing) concerned.add(`${name}.${field}`);
    else if (was?.head !== is?.head) types.add(name);
    for (const other of differingInterfaces(was, is)) {
      types.add(other);
      concerned.add(other);
    }
    if (!isRoot && (differing.length > 0 || was?.head !== is?.head)) concerned.add(name);
  }
  for (const name of differingFields(before?.directives, after?.directives)) concerned.add(name);
  return { concerned, fields, types };
}

/** Where one of these stands, another type may stand, or not any more. */
function differingInterfaces(was: TypeText | undefined, is: TypeText | undefined): readonly string[] {
  const [former, latter] = [was?.interfaces ?? [], is?.interfaces ?? []];
  return [
    ...former.filter((name) => !latter.includes(name)),
    ...latter.filter((name) => !former.includes(name)),
  ];
}

type Texts = ReadonlyMap<string, string>;

function differingFields(was: Texts = new Map(), is: Texts = new Map()): readonly string[] {
  return [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name));
}
