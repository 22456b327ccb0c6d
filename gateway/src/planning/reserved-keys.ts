import type { Schema } from '@apollo/federation-internals';

/** Which response keys of a client would get in the way of what the plan fetches for itself. */
export interface ReservedKeys {
  has(key: string): boolean;
}

const NAMES = /[_A-Za-z][_0-9A-Za-z]*/g;
const reservedBySchema = new WeakMap<Schema, ReadonlySet<string>>();

/**
 * Names of fields that keys, requirements and contexts of a supergraph are made of, and the keys with a meaning of their own.
 * The planner fetches such fields under their own names, beside what the client asked for; a client's
 * `id: name` would be overwritten by it.
 */
export function reservedKeysOf(schema: Schema): ReservedKeys {
  let names = reservedBySchema.get(schema);
  if (!names) reservedBySchema.set(schema, (names = readReservedKeys(schema)));
  return names;
}

function readReservedKeys(schema: Schema): ReadonlySet<string> {
  const names = new Set([
    '__typename',
    '_entities',
    '_service',
    ...Object.getOwnPropertyNames(Object.prototype),
  ]);
  for (const definition of schema.directives()) {
    if (!definition.name.startsWith('join__')) continue;
    for (const application of definition.applications()) {
      for (const text of fieldSetsOf(application.arguments())) {
        for (const [name] of text.matchAll(NAMES)) names.add(name);
      }
    }
  }
  return names;
}

function fieldSetsOf(joinArguments: Readonly<Record<string, unknown>>): string[] {
  const { key, requires, contextArguments } = joinArguments;
  const selections = Array.isArray(contextArguments)
    ? contextArguments.map((argument: { readonly selection?: unknown }) => argument.selection)
    : [];
  return [key, requires, ...selections].filter((text) => typeof text === 'string');
}
