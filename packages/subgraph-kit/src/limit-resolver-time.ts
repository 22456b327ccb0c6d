import { clientError } from '@trellis/subgraph-protocol';
import { isObjectType, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';

/** Settings of {@link limitResolverTime}. */
export interface ResolverTimeLimit {
  /** Milliseconds that one resolver may take. */
  readonly timeoutMs: number;
  /** Called for every resolver that took longer, with its field: `Post.author`. */
  readonly onTimeout?: (field: string) => void;
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/**
 * Makes every resolver of a schema fail its own field when it takes too long, so that the rest of the response arrives. The
 * elements of a list that a resolver returns as promises count each for itself: one hanging entity costs one entity. What
 * the resolver began is not undone; the database ends its own statements. Specification: Limits.
 *
 * @param schema changed in place
 */
export function limitResolverTime(schema: GraphQLSchema, limit: ResolverTimeLimit): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.resolve) field.resolve = limited(field.resolve, `${type.name}.${field.name}`, limit);
    }
  }
}

function limited(resolve: Resolver, field: string, limit: ResolverTimeLimit): Resolver {
  return (source, args, context, info) => limitResult(resolve(source, args, context, info), field, limit);
}

/** Values that are there already pass untouched: most resolvers cost nothing here. */
function limitResult(result: unknown, field: string, limit: ResolverTimeLimit): unknown {
  if (result instanceof Promise) return withinTime(result, field, limit);
  if (!Array.isArray(result) || !result.some(isPending)) return result;
  return result.map((item: unknown) => (isPending(item) ? withinTime(item, field, limit) : item));
}

function isPending(item: unknown): item is Promise<unknown> {
  return item instanceof Promise;
}

function withinTime(pending: Promise<unknown>, field: string, limit: ResolverTimeLimit): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      limit.onTimeout?.(field);
      reject(clientError('INTERNAL_SERVER_ERROR', `${field} took longer than ${limit.timeoutMs} ms.`));
    }, limit.timeoutMs);
    const settle =
      <Value>(act: (value: Value) => void) =>
      (value: Value): void => {
        clearTimeout(timer);
        act(value);
      };
    pending.then(settle(resolve), settle(reject));
  });
}
