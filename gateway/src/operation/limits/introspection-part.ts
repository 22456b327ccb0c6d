/** What a field of introspection leads to. */
export interface PartBelow {
  /** Objects, or values of a list, for each object of the part. */
  readonly count: number;
  /** What the objects are. */
  readonly part: IntrospectionPart;
}

/**
 * A part of a schema that introspection may ask for: `__schema`, all types, all fields of all types, any type. Of each field it
 * knows how much is below: on the exact average, where selections are answered for all of the part, else at most.
 */
export class IntrospectionPart {
  readonly #below = new Map<string, PartBelow>();

  /** @returns nothing for leaves, and where nothing is below */
  below(field: string): PartBelow | undefined {
    return this.#below.get(field);
  }

  /** Says what a field leads to. */
  lead(field: string, count: number, part: IntrospectionPart = LEAVES): this {
    if (count > 0) this.#below.set(field, { count, part });
    return this;
  }
}

/** What has no lists and no objects. */
const LEAVES = new IntrospectionPart();

/** Where questions begin. */
export interface IntrospectionRoots {
  readonly __schema: IntrospectionPart;
  readonly __type: IntrospectionPart;
  readonly __service: IntrospectionPart;
}
