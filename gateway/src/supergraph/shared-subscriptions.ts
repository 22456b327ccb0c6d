import { ObjectType, type Schema } from '@apollo/federation-internals';
import { appliedArguments, linkedDirectives } from './linked-directives.ts';

/** Names of the fields of subscriptions that their teams have marked `@sharedSubscription`. */
export function readSharedSubscriptions(schema: Schema): ReadonlySet<string> {
  const directives = linkedDirectives(schema, 'sharedSubscription');
  const root = schema.schemaDefinition.rootType('subscription');
  if (!(root instanceof ObjectType)) return new Set();
  const marked = root.fields().filter((field) => appliedArguments(field, directives).length > 0);
  return new Set(marked.map(({ name }) => name));
}
