import type { Supergraph } from './supergraph.ts';

/** The fields that name an entity on their own, by type. Types that only several fields together name are not in it. */
export type EntityKeys = ReadonlyMap<string, readonly string[]>;

const known = new WeakMap<Supergraph, EntityKeys>();

/** Reads the keys of a supergraph, once. */
export function entityKeysOf(supergraph: Supergraph): EntityKeys {
  let keys = known.get(supergraph);
  if (!keys) known.set(supergraph, (keys = readEntityKeys(supergraph)));
  return keys;
}

function readEntityKeys({ supergraphSchema }: Supergraph): EntityKeys {
  const keys = new Map<string, readonly string[]>();
  for (const type of supergraphSchema.objectTypes()) {
    const fields = type
      .appliedDirectivesOf('join__type')
      .map((applied): unknown => applied.arguments()['key'])
      .filter((key) => typeof key === 'string' && /^\w+$/.test(key));
    if (fields.length > 0) keys.set(type.name, [...new Set(fields as string[])]); // filtered in the line before
  }
  return keys;
}
