import type { ReadGraph } from './changes/graph-meaning.ts';

/**
 * The root fields that callers without a token may ask for: neither they, nor their type, nor what they return has
 * `@authenticated`, `@requiresScopes` or `@policy`, under whatever names these were imported.
 *
 * @returns coordinates, in the order of the schema
 */
export function openRootFields({ apiSchema, meaning }: ReadGraph): readonly string[] {
  const roots = [apiSchema.getQueryType(), apiSchema.getMutationType(), apiSchema.getSubscriptionType()];
  return roots
    .filter((type) => type !== null && type !== undefined)
    .flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`))
    .filter((coordinate) => !meaning.rights.has(coordinate));
}
