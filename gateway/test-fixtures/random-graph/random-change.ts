import {
  Kind,
  parse,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type ObjectTypeDefinitionNode,
} from 'graphql';
import type { Random } from '@trellis/testkit/random';
import type { GraphDefinition, SubgraphDefinition } from '../synthetic/subgraph-definition.ts';

/** One change to one or two subgraphs of a graph. */
export interface RandomChange {
  readonly kind: string;
  /** Not all compose. */
  readonly graph: GraphDefinition;
}

/** A field, and where it stands. */
interface Place {
  readonly subgraph: SubgraphDefinition;
  readonly type: ObjectTypeDefinitionNode;
  readonly field: FieldDefinitionNode;
}

/** Makes a change where it can be made: undefined where the places have none for it. */
type Maker = (place: Place, graph: GraphDefinition, random: Random) => GraphDefinition | undefined;

/** Those that leave most plans as they were are few: of shape, and of who resolves what: keys, requirements, provided and moved fields, interfaces. */
const makers: Readonly<Record<string, Maker>> = {
  'a field is added': ({ subgraph, type }, graph) =>
    edited(graph, subgraph, type, { fields: [...fieldsOf(type), fieldOf('added: Int')] }),
  'a field is removed': ({ subgraph, type, field }, graph) =>
    edited(graph, subgraph, type, { fields: without(type, field) }),
  'a field becomes non-null, or nullable': ({ subgraph, type, field }, graph) =>
    edited(graph, subgraph, type, { fields: [...without(type, field), otherNull(field)] }),
  'an interface is left': ({ subgraph, type }, graph) =>
    type.interfaces?.length ? edited(graph, subgraph, type, { interfaces: [] }) : undefined,
  'a key is removed': ({ subgraph, type }, graph, random) => {
    const keys = keysOf(type);
    const gone = keys.length > 1 ? random.pick(keys) : undefined;
    return (
      gone && edited(graph, subgraph, type, { directives: directivesOf(type).filter((one) => one !== gone) })
    );
  },
  'a key becomes resolvable, or is not any more': ({ subgraph, type }, graph, random) => {
    const keys = keysOf(type);
    const chosen = keys.length > 0 ? random.pick(keys) : undefined;
    const turned = directivesOf(type).map((one) => (one === chosen ? turnedKey(one) : one));
    return chosen && edited(graph, subgraph, type, { directives: turned });
  },
  'a field moves': (place, graph, random) =>
    inOther(place, graph, random, [place.field], (left) => ({ fields: without(left, place.field) })),
  'a field is overridden': (place, graph, random) =>
    inOther(place, graph, random, [withDirective(place.field, `@override(from: "${place.subgraph.name}")`)]),
  'a field is resolved by one more': (place, graph, random) => {
    const shared = withDirective(place.field, '@shareable');
    return inOther(place, graph, random, [shared], (left) => ({
      fields: [...without(left, place.field), shared],
    }));
  },
  'a field is required': (place, graph, random) => {
    if (isComposite(place.field)) return undefined;
    const needs = fieldOf(`needsMore: Int @requires(fields: "${place.field.name.value}")`);
    return inOther(place, graph, random, [withDirective(place.field, '@external'), needs]);
  },
};

/** Makes a change of a kind that is drawn, until one can be made. */
export function randomChange(graph: GraphDefinition, random: Random): RandomChange {
  for (;;) {
    const kind = random.pick(Object.keys(makers));
    const subgraph = random.pick(graph.subgraphs);
    const types = objectsOf(subgraph).filter(({ fields = [] }) => fields.length > 0);
    const type = types.length > 0 ? random.pick(types) : undefined;
    const changed =
      type && makers[kind]?.({ subgraph, type, field: random.pick(fieldsOf(type)) }, graph, random);
    if (changed) return { kind, graph: changed };
  }
}

function objectsOf({ typeDefs }: SubgraphDefinition): readonly ObjectTypeDefinitionNode[] {
  return typeDefs.definitions.filter((node) => node.kind === Kind.OBJECT_TYPE_DEFINITION);
}

function fieldsOf({ fields = [] }: ObjectTypeDefinitionNode): readonly FieldDefinitionNode[] {
  return fields;
}

function without(type: ObjectTypeDefinitionNode, field: FieldDefinitionNode): readonly FieldDefinitionNode[] {
  return fieldsOf(type).filter(({ name }) => name.value !== field.name.value);
}

function directivesOf({ directives = [] }: ObjectTypeDefinitionNode): readonly ConstDirectiveNode[] {
  return directives;
}

function keysOf(type: ObjectTypeDefinitionNode): readonly ConstDirectiveNode[] {
  return directivesOf(type).filter(({ name }) => name.value === 'key');
}

function isComposite(field: FieldDefinitionNode): boolean {
  let { type } = field;
  while (type.kind !== Kind.NAMED_TYPE) ({ type } = type);
  return (
    !['Int', 'Float', 'String', 'Boolean', 'ID'].includes(type.name.value) || field.arguments?.length !== 0
  );
}

/** A field by its text. */
function fieldOf(text: string): FieldDefinitionNode {
  const [type] = parse(`type T { ${text} }`, { noLocation: true }).definitions;
  const [field] = type?.kind === Kind.OBJECT_TYPE_DEFINITION ? fieldsOf(type) : [];
  if (!field) throw new Error(`${text} is no field.`);
  return field;
}

function withDirective(field: FieldDefinitionNode, text: string): FieldDefinitionNode {
  return { ...field, directives: fieldOf(`any: Int ${text}`).directives ?? [] };
}

function otherNull(field: FieldDefinitionNode): FieldDefinitionNode {
  const { type } = field;
  return {
    ...field,
    type: type.kind === Kind.NON_NULL_TYPE ? type.type : { kind: Kind.NON_NULL_TYPE, type },
  };
}

function turnedKey(key: ConstDirectiveNode): ConstDirectiveNode {
  const fields = (key.arguments ?? []).filter(({ name }) => name.value === 'fields');
  if (fields.length !== key.arguments?.length) return { ...key, arguments: fields };
  const value = { kind: Kind.BOOLEAN, value: false } as const;
  return {
    ...key,
    arguments: [...fields, { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'resolvable' }, value }],
  };
}

type TypeEdit = Partial<Pick<ObjectTypeDefinitionNode, 'fields' | 'directives' | 'interfaces'>>;

function edited(
  graph: GraphDefinition,
  { name }: SubgraphDefinition,
  type: ObjectTypeDefinitionNode,
  edit: TypeEdit,
): GraphDefinition {
  const change = ({ definitions, ...rest }: DocumentNode): DocumentNode => ({
    ...rest,
    definitions: definitions.map((node) =>
      node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === type.name.value
        ? { ...node, ...edit }
        : node,
    ),
  });
  const subgraphs = graph.subgraphs.map((one) =>
    one.name === name ? { ...one, typeDefs: change(one.typeDefs) } : one,
  );
  return { ...graph, subgraphs };
}

/** Adds fields to the same type of another subgraph that does not have the field; undefined where there is none. */
function inOther(
  { subgraph, type, field }: Place,
  graph: GraphDefinition,
  random: Random,
  added: readonly FieldDefinitionNode[],
  editOwn: (type: ObjectTypeDefinitionNode) => TypeEdit = () => ({}),
): GraphDefinition | undefined {
  const others = graph.subgraphs.flatMap((one) => {
    const same =
      one.name === subgraph.name
        ? undefined
        : objectsOf(one).find(({ name }) => name.value === type.name.value);
    return same && without(same, field).length === fieldsOf(same).length ? [{ one, same }] : [];
  });
  if (others.length === 0) return undefined;
  const { one, same } = random.pick(others);
  const left = edited(graph, subgraph, type, editOwn(type));
  return edited(left, one, same, { fields: [...fieldsOf(same), ...added] });
}
