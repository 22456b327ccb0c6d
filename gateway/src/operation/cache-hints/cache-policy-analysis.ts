import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { strictest, UNRESTRICTED, type CachePolicy } from '../../caching/cache-policy.ts';
import type { Analysis } from '../fold/selection-fold.ts';
import { includedTerm, joinTerms, rememberTerm, type Term } from '../fold/term.ts';
import type { CacheHint, CacheHints } from './cache-hints.ts';

/**
 * Finds how long the responses of a query may be cached by what the schema says of its fields: the strictest counts. A field of
 * the query type, or one that returns objects, which no hint speaks of may not be cached; a leaf is as its object. An interface or a
 * union without a hint is as the types that it stands for. What conditions leave out does not count.
 *
 * Without hints it finds {@link UNRESTRICTED}: then the responses of subgraphs alone decide.
 */
export function cachePolicyAnalysis(schema: GraphQLSchema, hints: CacheHints): Analysis<Term<CachePolicy>> {
  const policies = new FieldPolicies(schema, hints ?? new Map());
  return {
    isIdle: hints === undefined,
    none: UNRESTRICTED,
    field({ parent, definition }, below) {
      if (!definition || !parent) return UNRESTRICTED; // __typename, or introspection, which says nothing of data
      return joinPolicies([policies.of(parent, definition), below]);
    },
    combine: joinPolicies,
    onlyIf: (inclusion, policy) => includedTerm(inclusion, policy, UNRESTRICTED),
    shared: rememberTerm,
  };
}

function joinPolicies(parts: readonly Term<CachePolicy>[]): Term<CachePolicy> {
  return joinTerms(parts, UNRESTRICTED, strictest);
}

/** What the hints say of each field, looked up once. */
class FieldPolicies {
  readonly #schema: GraphQLSchema;
  readonly #hints: ReadonlyMap<string, CacheHint>;
  readonly #known = new Map<GraphQLNamedType, Map<string, CachePolicy>>();

  constructor(schema: GraphQLSchema, hints: ReadonlyMap<string, CacheHint>) {
    this.#schema = schema;
    this.#hints = hints;
  }

  of(parent: GraphQLNamedType, definition: GraphQLField<unknown, unknown>): CachePolicy {
    let fields = this.#known.get(parent);
    if (!fields) this.#known.set(parent, (fields = new Map<string, CachePolicy>()));
    let policy = fields.get(definition.name);
    if (!policy) fields.set(definition.name, (policy = this.#read(parent, definition)));
    return policy;
  }

  #read(parent: GraphQLNamedType, definition: GraphQLField<unknown, unknown>): CachePolicy {
    const type = getNamedType(definition.type);
    const own = this.#hints.get(`${parent.name}.${definition.name}`);
    const returned = this.#hintOfType(type);
    const isPrivate = own?.isPrivate ?? returned?.isPrivate ?? false;
    const isRoot = parent === this.#schema.getQueryType();
    const inherits = !isRoot && (!isCompositeType(type) || inheritsMaxAge(own, returned));
    const maxAgeS = own?.maxAgeS ?? returned?.maxAgeS ?? (inherits ? Number.POSITIVE_INFINITY : 0);
    return { maxAgeS, isPrivate };
  }

  #hintOfType(type: GraphQLNamedType): CacheHint | undefined {
    const hint = this.#hints.get(type.name);
    if (hint || !isAbstractType(type)) return hint;
    return hintOfAll(this.#schema.getPossibleTypes(type).map(({ name }) => this.#hints.get(name)));
  }
}

/** The strictest; none where one of them gives no time. */
function hintOfAll(hints: readonly (CacheHint | undefined)[]): CacheHint | undefined {
  const times = hints.map((hint) => hint?.maxAgeS);
  if (times.length === 0 || times.includes(undefined)) return undefined;
  return {
    maxAgeS: Math.min(...times.filter((time) => time !== undefined)),
    isPrivate: hints.some((hint) => hint?.isPrivate),
    inheritsMaxAge: false,
  };
}

function inheritsMaxAge(own: CacheHint | undefined, returned: CacheHint | undefined): boolean {
  return own?.inheritsMaxAge === true || returned?.inheritsMaxAge === true;
}
