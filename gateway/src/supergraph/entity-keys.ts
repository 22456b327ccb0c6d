import type { Schema } from '@apollo/federation-internals';

/** The fields that name an entity on their own, by type. Types that only several fields together name are not in it. */
export type EntityKeys = ReadonlyMap<string, readonly string[]>;

/** Reads the keys of a supergraph. */
export function readEntityKeys(schema: Schema): EntityKeys {
  const keys = new Map<string, readonly string[]>();
  for (const type of schema.objectTypes()) {
    const fields = type
      .appliedDirectivesOf('join__type')
      .map((applied): unknown => applied.arguments()['key'])
      .filter((key) => typeof key === 'string' && /^\w+$/.test(key));
    if (fields.length > 0) keys.set(type.name, [...new Set(fields as string[])]); // filtered in the line before
  }
  return keys;
}
