import type { Schema } from '@apollo/federation-internals';
import { appliedArguments, linkedDirectives, type Annotated } from '../../supergraph/linked-directives.ts';
import { federationInternals } from '../../supergraph/apollo-packages.ts';

/** What a `@cacheControl` says. */
export interface CacheHint {
  readonly maxAgeS: number | undefined;
  readonly isPrivate: boolean | undefined;
  /** Takes the time from the field above. */
  readonly inheritsMaxAge: boolean;
}

/** The hints of a supergraph by coordinate, `Post` or `Post.comments`; absent where its subgraphs compose none. */
export type CacheHints = ReadonlyMap<string, CacheHint> | undefined;

/** Reads `@cacheControl` from a supergraph, under whatever name it was imported. */
export function readCacheHints(schema: Schema): CacheHints {
  const directives = linkedDirectives(schema, 'cacheControl');
  if (directives.length === 0) return undefined;
  const hints = new Map<string, CacheHint>();
  const read = (element: Annotated & { readonly coordinate: string }): void => {
    const [values] = appliedArguments(element, directives);
    if (values) hints.set(element.coordinate, hintOf(values));
  };
  for (const type of schema.types()) {
    if (type instanceof federationInternals.ObjectType || type instanceof federationInternals.InterfaceType) {
      read(type);
      for (const field of type.fields()) read(field);
    } else if (type instanceof federationInternals.UnionType) read(type);
  }
  return hints;
}

function hintOf(values: Readonly<Record<string, unknown>>): CacheHint {
  const { maxAge, scope, inheritMaxAge } = values;
  return {
    maxAgeS: typeof maxAge === 'number' ? Math.max(0, maxAge) : undefined,
    isPrivate: typeof scope === 'string' ? scope === 'PRIVATE' : undefined,
    inheritsMaxAge: inheritMaxAge === true,
  };
}
