import {
  isTypeDefinitionNode,
  Kind,
  parse,
  type ConstDirectiveNode,
  type DefinitionNode,
  type TypeDefinitionNode,
} from 'graphql';

const INACCESSIBLE = 'inaccessible';
const SPECIFICATION = 'https://specs.apollo.dev/inaccessible/';
const LINK = `@link(url: "${SPECIFICATION}v0.2", for: SECURITY)`;
const DEFINITION = `directive @${INACCESSIBLE} on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION`;

/**
 * Marks elements of a supergraph as `@inaccessible`, where they are not. All else stays as it was written.
 *
 * @param coordinates `User`, `User.name`, `User.posts(first:)`, `Role.ADMIN`
 */
export function hideElements(supergraphSdl: string, coordinates: ReadonlySet<string>): string {
  const { definitions } = parse(supergraphSdl);
  const isLinked = definitions.some((node) => linksOf(node).some(isOfInaccessible));
  const marks = definitions
    .filter(isTypeDefinitionNode)
    .flatMap(elementsOf)
    .filter(({ coordinate, directives }) => coordinates.has(coordinate) && !directives.some(isMark))
    .map(({ end }) => ({ at: end, text: ` @${INACCESSIBLE}` }));
  if (marks.length === 0) return supergraphSdl;
  const inserted = insert(supergraphSdl, isLinked ? marks : [...marks, ...linkInsertions(definitions)]);
  return isLinked ? inserted : `${inserted.trimEnd()}\n\n${DEFINITION}\n`;
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

interface Element {
  readonly coordinate: string;
  readonly directives: readonly ConstDirectiveNode[];
  /** Where its directives end, or what they would follow. */
  readonly end: number;
}

function linksOf(node: DefinitionNode): readonly ConstDirectiveNode[] {
  if (node.kind !== Kind.SCHEMA_DEFINITION && node.kind !== Kind.SCHEMA_EXTENSION) return [];
  return (node.directives ?? []).filter(({ name }) => name.value === 'link');
}

function isOfInaccessible({ arguments: given = [] }: ConstDirectiveNode): boolean {
  return given.some(
    ({ name, value }) =>
      name.value === 'url' && value.kind === Kind.STRING && value.value.startsWith(SPECIFICATION),
  );
}

function isMark({ name }: ConstDirectiveNode): boolean {
  return name.value === INACCESSIBLE;
}

/** After the last link that there is; every supergraph has some. */
function linkInsertions(definitions: readonly DefinitionNode[]): readonly Insertion[] {
  const last = definitions.flatMap(linksOf).at(-1)?.loc?.end;
  return last === undefined ? [] : [{ at: last, text: `\n  ${LINK}` }];
}

function elementsOf(type: TypeDefinitionNode): readonly Element[] {
  const name = type.name.value;
  const own = elementOf(name, type, 'interfaces' in type ? type.interfaces?.at(-1)?.loc?.end : undefined);
  if (type.kind === Kind.ENUM_TYPE_DEFINITION)
    return [own, ...(type.values ?? []).map((value) => elementOf(`${name}.${value.name.value}`, value))];
  if (!('fields' in type)) return [own];
  const fields = (type.fields ?? []).flatMap((field) => {
    const coordinate = `${name}.${field.name.value}`;
    const element = elementOf(coordinate, field, field.type.loc?.end);
    if (field.kind === Kind.INPUT_VALUE_DEFINITION)
      return [elementOf(coordinate, field, field.defaultValue?.loc?.end ?? field.type.loc?.end)];
    const given = (field.arguments ?? []).map((argument) =>
      elementOf(
        `${coordinate}(${argument.name.value}:)`,
        argument,
        argument.defaultValue?.loc?.end ?? argument.type.loc?.end,
      ),
    );
    return [element, ...given];
  });
  return [own, ...fields];
}

interface Marked {
  readonly name: { readonly loc?: { readonly end: number } | undefined };
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

/** @param head where directives of its kind begin; absent: behind the name */
function elementOf(coordinate: string, { name, directives = [] }: Marked, head?: number): Element {
  const end = directives.at(-1)?.loc?.end ?? head ?? name.loc?.end ?? 0; // parsed with places
  return { coordinate, directives, end };
}

function insert(text: string, insertions: readonly Insertion[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { at, text: inserted } of insertions.toSorted((left, right) => left.at - right.at)) {
    parts.push(text.slice(from, at), inserted);
    from = at;
  }
  return parts.join('') + text.slice(from);
}
