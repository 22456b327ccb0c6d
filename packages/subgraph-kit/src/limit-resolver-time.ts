import { clientError } from '@trellis/subgraph-protocol';
import { isObjectType, type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';

/** Settings of {@link limitResolverTime}. */
export interface ResolverTimeLimit {
  /** Milliseconds that the resolver of a field may take. */
  readonly timeoutMsOf: (field: GraphQLField<unknown, unknown>) => number;
  /** Called for every resolver that took longer, with its field: `Post.author`. */
  readonly onTimeout?: (field: string) => void;
}

/** Of one field. */
interface FieldLimit {
  /** `Post.author` */
  readonly name: string;
  readonly timeoutMs: number;
  readonly onTimeout: ResolverTimeLimit['onTimeout'];
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/**
 * Makes every resolver of a schema fail its own field when it takes too long, so that the rest of the response arrives. The
 * elements of a list that a resolver returns as promises count each for itself: one hanging entity costs one entity. What
 * the resolver began is not undone; the database ends its own statements.
 *
 * @param schema changed in place
 */
export function limitResolverTime(
  schema: GraphQLSchema,
  { timeoutMsOf, onTimeout }: ResolverTimeLimit,
): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (!field.resolve) continue;
      const own = { name: `${type.name}.${field.name}`, timeoutMs: timeoutMsOf(field), onTimeout };
      field.resolve = limited(field.resolve, own);
    }
  }
}

function limited(resolve: Resolver, limit: FieldLimit): Resolver {
  return (source, args, context, info) => limitResult(resolve(source, args, context, info), limit);
}

/** Values that are known already pass untouched: most resolvers cost nothing here. */
function limitResult(result: unknown, limit: FieldLimit): unknown {
  if (result instanceof Promise) return withinTime(result, limit);
  if (!Array.isArray(result) || !result.some(isPending)) return result;
  return result.map((item: unknown) => (isPending(item) ? withinTime(item, limit) : item));
}

function isPending(item: unknown): item is Promise<unknown> {
  return item instanceof Promise;
}

function withinTime(pending: Promise<unknown>, limit: FieldLimit): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      limit.onTimeout?.(limit.name);
      reject(clientError('INTERNAL_SERVER_ERROR', `${limit.name} took longer than ${limit.timeoutMs} ms.`));
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
