import type { TypeIndex } from '../supergraph/type-index.ts';
import type {
  BroughtKeys,
  ContextValue,
  DependentField,
  ExpectedSelection,
  FetchFields,
  RequiredSelection,
  Rewrite,
} from './fetch-fields.ts';
import { pruneFields, pruneVariables, type LeftOutField } from './prune-fetch.ts';
import { layoutFor, type LayoutDecision } from './representation-layout.ts';

/** What remains of a fetch when variables have no value. */
export interface RemainingFetch {
  /** Absent where all that it asks takes such a variable. */
  readonly step: FetchStep | undefined;
  readonly leftOut: readonly LeftOutField[];
}

/** Pruned variants that a step remembers, of each kind: what is missing is up to subgraphs. Others are pruned again. */
const MAX_VARIANTS = 16;

/**
 * One kind of request to one subgraph. What is compiled of it at the first use is a function of its fields and of the types of the
 * supergraph, and bounded: by the object types, or by {@link MAX_VARIANTS}.
 */
export class FetchStep implements FetchFields {
  readonly kind = 'fetch';
  readonly id: string | undefined;
  readonly subgraph: string;
  readonly isMutation: boolean;
  readonly bodyStart: string;
  readonly variableNames: readonly string[];
  readonly path: readonly string[];
  readonly pathText: string;
  readonly requires: readonly RequiredSelection[] | undefined;
  readonly expected: readonly ExpectedSelection[];
  readonly brings: BroughtKeys;
  readonly mergeKey: string | undefined;
  readonly dependents: readonly DependentField[];
  readonly inputRewrites: readonly Rewrite[];
  readonly outputRewrites: readonly Rewrite[];
  readonly contextValues: readonly ContextValue[];
  readonly #types: TypeIndex;
  /** By the name of the object's type; empty where it is unknown. */
  #expectedKeys: Map<string, readonly string[]> | undefined;
  /** By the name of the object's type. */
  #layouts: Map<string, LayoutDecision> | undefined;
  /** By the missing keys. */
  #withoutKeys: Map<string, FetchStep | undefined> | undefined;
  /** By the variables without a value. */
  #withoutVariables: Map<string, RemainingFetch> | undefined;

  constructor(fields: FetchFields, types: TypeIndex) {
    this.id = fields.id;
    this.subgraph = fields.subgraph;
    this.isMutation = fields.isMutation;
    this.bodyStart = fields.bodyStart;
    this.variableNames = fields.variableNames;
    this.path = fields.path;
    this.pathText = fields.pathText;
    this.requires = fields.requires;
    this.expected = fields.expected;
    this.brings = fields.brings;
    this.mergeKey = fields.mergeKey;
    this.dependents = fields.dependents;
    this.inputRewrites = fields.inputRewrites;
    this.outputRewrites = fields.outputRewrites;
    this.contextValues = fields.contextValues;
    this.#types = types;
  }

  /** The keys that it brings to an object. @param typename of the object; absent where it is unknown: then those of all types */
  expectedKeys(typename: string | undefined): readonly string[] {
    const name = typename ?? '';
    const known = this.#expectedKeys?.get(name);
    if (known) return known;
    const keys = this.expected
      .filter(
        ({ typeCondition }) =>
          typeCondition === undefined || name === '' || this.#types.isSubtype(name, typeCondition),
      )
      .flatMap((selection) => selection.keys);
    // A subgraph chooses the name: one that is no type is not remembered.
    if (name === '' || this.#types.isObject(name)) (this.#expectedKeys ??= new Map()).set(name, keys);
    return keys;
  }

  /** How objects of a type are represented, where all that is required of them is plain values. */
  layoutOf(typename: string): LayoutDecision {
    const known = this.#layouts?.get(typename);
    if (known) return known;
    const layout = layoutFor(this, typename, this.#types);
    if (this.#types.isObject(typename)) (this.#layouts ??= new Map()).set(typename, layout);
    return layout;
  }

  /**
   * The fetch without the fields that need what is missing, so that the others are fetched all the same.
   *
   * @param missing keys of the object, at the top
   * @returns nothing where no field remains
   */
  without(missing: ReadonlySet<string>): FetchStep | undefined {
    this.#withoutKeys ??= new Map();
    return remembered(this.#withoutKeys, missing, () => {
      const pruned = pruneFields(this, missing);
      return pruned && new FetchStep(pruned, this.#types);
    });
  }

  /** The fetch without the fields, at any depth, that take one of these variables. */
  withoutVariables(variables: ReadonlySet<string>): RemainingFetch {
    this.#withoutVariables ??= new Map();
    return remembered(this.#withoutVariables, variables, () => {
      const { fields, leftOut } = pruneVariables(this, variables);
      return { step: fields && new FetchStep(fields, this.#types), leftOut };
    });
  }
}

function remembered<Variant>(
  variants: Map<string, Variant>,
  names: ReadonlySet<string>,
  make: () => Variant,
): Variant {
  const signature = [...names].toSorted().join();
  const known = variants.get(signature);
  if (known !== undefined || variants.has(signature)) return known as Variant; // it has one: perhaps `undefined`
  const variant = make();
  if (variants.size < MAX_VARIANTS) variants.set(signature, variant);
  return variant;
}
