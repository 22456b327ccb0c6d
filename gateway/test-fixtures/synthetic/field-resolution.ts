import {
  getArgumentValues,
  getNamedType,
  GraphQLError,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { hashOf } from '@trellis/testkit/random';
import { canonical, type Instance, type World } from './world.ts';

/** Which fields fail for which instances, the same wherever they are asked. */
export interface FaultPlan {
  fails(fieldName: string, instance: Instance): boolean;
}

/** Nothing fails. */
export const noFaults: FaultPlan = { fails: () => false };

/** Fields whose names are listed fail for a share of all instances. */
export function createFaultPlan(fieldNames: ReadonlySet<string>, percent: number, seed: number): FaultPlan {
  return {
    fails: (fieldName, instance) =>
      fieldNames.has(fieldName) && hashOf(`${seed} ${fieldName} ${instance.number}`) % 100 < percent,
  };
}

/** The code of the errors that faults make. */
export const FAULT_CODE = 'BROKEN';

/** The message of a fault: the same in the subgraph and in the whole. */
export function faultError(fieldName: string, instance: Instance): GraphQLError {
  return new GraphQLError(`${fieldName} of ${instance.number} is broken.`, {
    extensions: { code: FAULT_CODE },
  });
}

/** Resolves the fields of one subgraph: what is required is read from the representation. */
export function subgraphResolver(
  world: World,
  subgraph: string,
  faults: FaultPlan,
): GraphQLFieldResolver<unknown, unknown> {
  return (source, values, _context, info) => {
    const instance = asInstance(source, world);
    const requirement = world.requirementOf(subgraph, info.parentType.name, info.fieldName);
    if (faults.fails(info.fieldName, instance)) throw faultError(info.fieldName, instance);
    const required = requirement ? canonical(picked(instance.given ?? {}, requirement)) : '';
    const field = info.parentType.getFields()[info.fieldName];
    if (!field) throw new Error(`No field ${info.fieldName}.`);
    return world.valueOf({ instance, field, values, required });
  };
}

/** Resolves the fields of the whole graph: what is required is resolved first. */
export function wholeResolver(world: World, faults: FaultPlan): GraphQLFieldResolver<unknown, unknown> {
  return (source, values, _context, info) => {
    const instance = asInstance(source, world);
    if (faults.fails(info.fieldName, instance)) throw faultError(info.fieldName, instance);
    const field = info.parentType.getFields()[info.fieldName];
    if (!field) throw new Error(`No field ${info.fieldName}.`);
    const requirement = requirementFor(world, info.parentType, info.fieldName);
    const required = requirement
      ? canonical(
          resolved(
            world,
            world.schemaOf(requirement.subgraph),
            instance,
            requirement.selection,
            requirement.typeName,
          ),
        )
      : '';
    return world.valueOf({ instance, field, values, required });
  };
}

function requirementFor(
  world: World,
  type: { readonly name: string; getInterfaces(): readonly { readonly name: string }[] },
  fieldName: string,
): ReturnType<World['requirementAnywhere']> {
  const own = world.requirementAnywhere(type.name, fieldName);
  if (own) return own;
  for (const { name } of type.getInterfaces()) {
    const inherited = world.requirementAnywhere(name, fieldName);
    if (inherited) return inherited;
  }
  return undefined;
}

function asInstance(source: unknown, world: World): Instance {
  if (typeof source !== 'object' || source === null) return { __typename: 'Query', number: 0 };
  return 'number' in source && typeof source.number === 'number' && '__typename' in source
    ? (source as Instance)
    : world.instanceOf(source as Record<string, unknown>);
}

/** What a representation says of the required selection. */
function picked(
  given: Readonly<Record<string, unknown>>,
  selection: SelectionSetNode,
): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const node of selection.selections) {
    if (node.kind === Kind.INLINE_FRAGMENT) {
      const condition = node.typeCondition?.name.value;
      if (condition === undefined || condition === given['__typename'])
        Object.assign(made, picked(given, node.selectionSet));
    }
    if (node.kind !== Kind.FIELD) continue;
    const value = given[node.name.value];
    if (value === undefined) throw new GraphQLError(`The representation lacks ${node.name.value}.`);
    made[node.name.value] = node.selectionSet ? pickedValue(value, node.selectionSet) : value;
  }
  return made;
}

function pickedValue(value: unknown, selection: SelectionSetNode): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((element) => pickedValue(element, selection));
  return picked(value as Record<string, unknown>, selection);
}

/** The same selection, resolved from the world. */
function resolved(
  world: World,
  schema: GraphQLSchema,
  instance: Instance,
  selection: SelectionSetNode,
  typeName: string = instance.__typename,
): Record<string, unknown> {
  const type = schema.getType(typeName);
  const made: Record<string, unknown> = {};
  for (const node of selection.selections) {
    if (node.kind === Kind.INLINE_FRAGMENT) {
      const condition = node.typeCondition?.name.value;
      if (condition === undefined || condition === instance.__typename) {
        Object.assign(made, resolved(world, schema, instance, node.selectionSet));
      }
    }
    if (node.kind !== Kind.FIELD || (!isObjectType(type) && !isInterfaceType(type))) continue;
    const field = type.getFields()[node.name.value];
    if (!field) throw new Error(`No field ${node.name.value}.`);
    const value = world.valueOf({ instance, field, values: getArgumentValues(field, node), required: '' });
    const { selectionSet } = node;
    const isComposite = selectionSet && isCompositeType(getNamedType(field.type));
    made[node.name.value] = isComposite ? resolvedValue(world, schema, value, selectionSet) : value;
  }
  return made;
}

function resolvedValue(
  world: World,
  schema: GraphQLSchema,
  value: unknown,
  selection: SelectionSetNode,
): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((element) => resolvedValue(world, schema, element, selection));
  return resolved(world, schema, value as Instance, selection);
}
