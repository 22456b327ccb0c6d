import { isAbstractType, type FieldNode, type GraphQLCompositeType, type GraphQLSchema } from 'graphql';
import { gather, type Gathered } from '../fold/gathered.ts';
import type { Analysis } from '../fold/selection-fold.ts';
import type { AuthorizationRules } from './authorization-rules.ts';
import type { Requirement } from './requirement.ts';

/** Something of an operation that not every caller may see. */
export interface GuardedPlace {
  readonly requirement: Requirement;
  /** A field, or the name of an object type that may stand where others may stand as well. */
  readonly place: FieldNode | string;
}

/** Finds what is guarded. */
export function guardAnalysis(
  schema: GraphQLSchema,
  rules: AuthorizationRules,
): Analysis<Gathered<GuardedPlace>> {
  const typesAt = guardedTypes(schema, rules);
  return {
    isIdle: rules.fields.size === 0 && rules.types.size === 0,
    none: undefined,
    field({ node, parent, definition, type }, below) {
      const requirement = definition && rules.fields.get(`${parent?.name}.${node.name.value}`);
      const types = typesAt(type);
      if (!requirement && !types) return below;
      return gather([requirement && { item: { requirement, place: node } }, types, below]);
    },
    fragment({ type }, below) {
      const types = typesAt(type);
      return types ? gather([types, below]) : below;
    },
    combine: gather,
  };
}

/** The guarded types that an object of an abstract type may turn out to have; of each type the same object. */
function guardedTypes(
  schema: GraphQLSchema,
  { types }: AuthorizationRules,
): (type: GraphQLCompositeType | undefined) => Gathered<GuardedPlace> {
  const known = new Map<GraphQLCompositeType, Gathered<GuardedPlace>>();
  return (type) => {
    if (types.size === 0 || !isAbstractType(type)) return undefined;
    if (!known.has(type)) {
      const possible = schema.getPossibleTypes(type).map(({ name }): Gathered<GuardedPlace> => {
        const requirement = types.get(name);
        return requirement && { item: { requirement, place: name } };
      });
      known.set(type, gather(possible));
    }
    return known.get(type);
  };
}
