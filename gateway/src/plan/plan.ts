import type { Supergraph } from '../supergraph/supergraph.ts';
import { Passthrough } from './passthrough.ts';
import type { DeferredPlan, PlanStep, SubscriptionPlan, TargetOrigins } from './plan-steps.ts';
import type { SelectionShape } from './response-shape.ts';
import { compileWriter, type ResponseWriter } from './response-writer.ts';

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
  readonly subgraphCalls: number;
  /** Whether the response comes in parts. */
  readonly isDeferred: boolean;
  /** The plan of a response in parts, where the planner made one; then `step` is absent. */
  readonly parts: DeferredPlan | undefined;
  /** The client's response. */
  readonly shape: SelectionShape;
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
  readonly subgraphCalls: number;
  readonly isDeferred: boolean;
  readonly parts: DeferredPlan | undefined;
  readonly shape: SelectionShape;
  /** Decides whether the response to the only fetch is the client's. Absent where there are several fetches, or none. */
  readonly passthrough: Passthrough | undefined;
  #runs = 0;
  #writer: ResponseWriter | undefined;

  constructor(fields: PlanFields) {
    const { step, shape } = fields;
    this.supergraph = fields.supergraph;
    this.kind = fields.kind;
    this.step = step;
    this.origins = fields.origins;
    this.subscription = fields.subscription;
    this.subgraphCalls = fields.subgraphCalls;
    this.isDeferred = fields.isDeferred;
    this.parts = fields.parts;
    this.shape = shape;
    this.passthrough = step?.kind === 'fetch' ? new Passthrough(step, shape) : undefined;
    Object.freeze(this);
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
