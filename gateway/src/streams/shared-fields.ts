import { ObjectType } from '@apollo/federation-internals';
import type { Plan } from '../plan/plan.ts';
import { appliedArguments, linkedDirectives } from '../supergraph/linked-directives.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';

const sharedFields = new WeakMap<Supergraph, ReadonlySet<string>>();

/** Whether a subscription is of a field that its team has marked `@sharedSubscription`. */
export function isShared(plan: Plan): boolean {
  const shared = sharedFieldsOf(plan.supergraph);
  const root = plan.shape.onlyType;
  const fields = root === undefined ? undefined : plan.shape.of(root)?.fields;
  return fields?.every(({ fieldName }) => shared.has(fieldName)) ?? false;
}

function sharedFieldsOf(supergraph: Supergraph): ReadonlySet<string> {
  let fields = sharedFields.get(supergraph);
  if (!fields) sharedFields.set(supergraph, (fields = readSharedFields(supergraph)));
  return fields;
}

function readSharedFields({ supergraphSchema }: Supergraph): ReadonlySet<string> {
  const directives = linkedDirectives(supergraphSchema, 'sharedSubscription');
  const root = supergraphSchema.schemaDefinition.rootType('subscription');
  if (!(root instanceof ObjectType)) return new Set();
  const marked = root.fields().filter((field) => appliedArguments(field, directives).length > 0);
  return new Set(marked.map(({ name }) => name));
}
