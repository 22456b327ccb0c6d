import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse, type GraphQLSchema } from 'graphql';
import { readDeclaredRights } from './declared-rights.ts';
import { guardFields } from './guard-fields.ts';
import { limitResolverTime } from './limit-resolver-time.ts';
import { takesFile } from './uploads.ts';

/** What {@link buildExecutableSchema} puts together. */
export interface ExecutableSchemaOptions {
  /** The subgraph's `schema.graphql`. */
  readonly typeDefs: URL;
  /** Resolvers and scalars by type; checked against the generated types where they are written. */
  readonly resolvers: object;
  /** Milliseconds that one resolver may take. */
  readonly resolverTimeoutMs: number;
  /** The same for resolvers that take files; absent where there are none. */
  readonly uploadTimeoutMs?: number | undefined;
  readonly onTimeout?: (field: string) => void;
}

type Resolvers = NonNullable<
  Extract<Parameters<typeof buildSubgraphSchema>[0], { resolvers?: unknown }>['resolvers']
>;

/** Makes a subgraph's schema with its resolvers, each for callers with the declared rights alone, and bounded in time. */
export function buildExecutableSchema(options: ExecutableSchemaOptions): GraphQLSchema {
  const typeDefs = parse(readFileSync(options.typeDefs, 'utf8'));
  const resolvers = options.resolvers as Resolvers; // generated types say more than Apollo's, which know no arguments
  const schema = buildSubgraphSchema({ typeDefs, resolvers });
  guardFields(schema, readDeclaredRights(typeDefs));
  limitResolverTime(schema, {
    timeoutMsOf: (field) =>
      options.uploadTimeoutMs !== undefined && takesFile(field)
        ? options.uploadTimeoutMs
        : options.resolverTimeoutMs,
    ...(options.onTimeout && { onTimeout: options.onTimeout }),
  });
  return schema;
}
