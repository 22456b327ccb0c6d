import type { Supergraph } from '../supergraph/supergraph.ts';
import { Passthrough } from './passthrough.ts';
import type { PreparedStream } from './prepared-operation.ts';
import type { SelectionShape } from './response-shape.ts';
import { compileWriter, type ResponseWriter } from './response-writer.ts';
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

/** What a plan is made of. */
export interface PlanFields {
  readonly supergraph: Supergraph;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** Absent when no subgraph has to be asked. */
  readonly step: PlanStep | undefined;
  /** Where the objects that `step` asks about come from. */
  readonly origins: TargetOrigins;
  /** The plan of a subscription; then `step` is absent. Absent as well where the caller may see nothing of it. */
  readonly subscription: SubscriptionPlan | undefined;
  /** How many requests to subgraphs it makes at most, those that are made for many objects at once counted once. */
  readonly subgraphRequests: number;
  /** Whether the response comes in parts. */
  readonly isDeferred: boolean;
  /** The plan of a response in parts, where the planner made one; then `step` is absent. */
  readonly parts: DeferredPlan | undefined;
  /** What later items of streamed lists need. */
  readonly streams: ReadonlyMap<PreparedStream, StreamPlan>;
  /** The client's response. */
  readonly shape: SelectionShape;
}

/** What the items of a streamed list need beyond the list itself, which comes whole. */
export interface StreamPlan extends Pick<PlanFields, 'step' | 'parts'> {
  /** Requests that it makes at most, those that are made for many objects at once counted once. */
  readonly subgraphRequests: number;
}

/** Compiling a writer, and warming its code, costs more than it saves on an operation that runs now and then. */
const RUNS_BEFORE_COMPILING = 10;

/**
 * A plan made executable for one operation of one supergraph, shared by all its runs. Frozen: what is compiled while it runs is a
 * private member, a function of the fields, and there once.
 */
export class Plan implements PlanFields {
  readonly supergraph: Supergraph;
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly step: PlanStep | undefined;
  readonly origins: TargetOrigins;
  readonly subscription: SubscriptionPlan | undefined;
  readonly subgraphRequests: number;
  readonly isDeferred: boolean;
  readonly parts: DeferredPlan | undefined;
  readonly streams: ReadonlyMap<PreparedStream, StreamPlan>;
  readonly shape: SelectionShape;
  /** Decides whether the response to the only fetch is the client's. Absent where there are several fetches, or none. */
  readonly passthrough: Passthrough | undefined;
  #subgraphs: ReadonlySet<string> | undefined;
  #runs = 0;
  #writer: ResponseWriter | undefined;

  constructor(fields: PlanFields) {
    const { step, shape } = fields;
    this.supergraph = fields.supergraph;
    this.kind = fields.kind;
    this.step = step;
    this.origins = fields.origins;
    this.subscription = fields.subscription;
    this.subgraphRequests = fields.subgraphRequests;
    this.isDeferred = fields.isDeferred;
    this.parts = fields.parts;
    this.streams = fields.streams;
    this.shape = shape;
    this.passthrough = step?.kind === 'fetch' ? new Passthrough(step, shape) : undefined;
    Object.freeze(this);
  }

  /** Names of the subgraphs that its step asks. */
  get subgraphs(): ReadonlySet<string> {
    this.#subgraphs ??= new Set(Array.from(fetchesOf(this.step), ({ subgraph }) => subgraph));
    return this.#subgraphs;
  }

  /** Counts a run. @returns the writer of its response; absent in the first runs, and where there can be none */
  writerOfRun(): ResponseWriter | undefined {
    this.#runs += 1;
    if (this.#runs === RUNS_BEFORE_COMPILING) this.#writer = this.compileWriter();
    return this.#writer;
  }

  /** Makes the writer of the plan's responses, whether it is worth it or not; nothing where there can be none. */
  compileWriter(): ResponseWriter | undefined {
    return compileWriter(this.shape, unitedPaths(this.origins));
  }
}

function unitedPaths(origins: TargetOrigins): ReadonlySet<string> {
  const united = [...origins].filter(([, { referenceKeys }]) => referenceKeys);
  return new Set(united.map(([path]) => path));
}

/** What remains of a fetch when variables have no value. */
interface RemainingFetch {
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

/** A plan in the form that runs: paths are absolute, texts and look-ups are made. */
export type PlanStep =
  | { readonly kind: 'sequence'; readonly steps: readonly PlanStep[] }
  | { readonly kind: 'parallel'; readonly steps: readonly PlanStep[] }
  | FetchStep;

/** The fetches of a step, at any depth. */
export function* fetchesOf(step: PlanStep | undefined): Iterable<FetchStep> {
  if (step?.kind === 'fetch') yield step;
  else for (const child of step?.steps ?? []) yield* fetchesOf(child);
}

/** A plan with deferred fragments. */
export interface DeferredPlan {
  /** What the first part needs. */
  readonly first: PlanStep | undefined;
  readonly later: readonly LaterPart[];
}

/** What one `@defer` needs beyond what has been fetched when it begins. */
export interface LaterPart {
  /** The defer's id in the prepared operation. */
  readonly deferId: string;
  /** Ids of the fetches of the part before that it begins after. */
  readonly after: readonly string[];
  readonly plan: DeferredPlan;
}

/** How the objects at a path come there when a single fetch brings them: none comes later. */
export interface TargetOrigin {
  /** Where they have nothing but a few plain values at first: their keys. Those with equal values may be one object. */
  readonly referenceKeys: readonly string[] | undefined;
}

/** By the text of the path; of others nothing is known. */
export type TargetOrigins = ReadonlyMap<string, TargetOrigin>;

/** A subscription made executable: where its events come from, and what is fetched for each of them. */
export interface SubscriptionPlan {
  /** What the subgraph is subscribed to with. Its response is an event. */
  readonly primary: FetchStep;
  readonly operationName: string | undefined;
  /** What is fetched to complete an event. Absent: the event has everything. */
  readonly rest: PlanStep | undefined;
}
