import type { Schema } from '@apollo/federation-internals';
import { federationInternals } from './apollo-packages.ts';

/**
 * Spares a supergraph that was validated before the validation of its API schema, the schema of clients: composition has done that too,
 * and it takes longer than making the schema.
 */
export function trustApiSchema(supergraphSchema: Schema): void {
  let api: Schema | undefined;
  supergraphSchema.toAPISchema = () => (api ??= createApiSchema(supergraphSchema));
}

/** As `Schema.toAPISchema` makes it. @throws Error when what is hidden leaves nothing that is a schema */
function createApiSchema(supergraphSchema: Schema): Schema {
  const schema = supergraphSchema.clone(undefined, false);
  for (const name of ['defer', 'stream']) {
    const definition = schema.directive(name);
    if (definition && !definition.isBuiltIn) definition.removeRecursive();
  }
  federationInternals.removeInaccessibleElements(schema);
  federationInternals.removeAllCoreFeatures(schema);
  schema.assumeValid();
  return schema;
}
