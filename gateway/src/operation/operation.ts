import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { NOT_CACHEABLE, type CachePolicy } from '../caching/cache-policy.ts';
import type { Policies } from '../settings/authorization.ts';
import { createOperationGuard, type OperationGuard } from './access/operation-guard.ts';
import { conditionVariablesOf } from './conditions/condition-variables.ts';
import { overridesFor, type Overrides } from './conditions/override-labels.ts';
import {
  compileVariables,
  NO_VARIABLES,
  type CoerceVariables,
  compileDecision,
  type ConditionVariable,
  type Decided,
  type DecideConditions,
} from './document/decided-conditions.ts';
import type { Fragments } from './document/parse-operation.ts';
import { compileThrottle, liveDirectiveOf, type ThrottleOf } from './document/live-directive.ts';
import type { Summaries } from './fold/selection-fold.ts';
import { valueOf, type Term } from './fold/term.ts';
import { costFunctionOf } from './limits/enforce-limits.ts';
import type { CostFunction } from './limits/cost-term.ts';
import type { OperationMeasure } from './limits/measure-operation.ts';
import type { OperationAnalyses, PlanningAnalyses } from './operation-analyses.ts';

/** What planning reads of an operation. */
export interface PlannableOperation {
  /** Names the operation among all: the same for equal texts. */
  readonly key: string;
  /** As the client wrote it. Planning alone reads it, and the fragments, after the operation was made. */
  readonly definition: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** The variables that decide `@skip`, `@include`, `@defer` and `@live`, in the order of the text. */
  readonly conditionVariables: readonly ConditionVariable[];
  /** What the coerced variables decide, once and for all stages. */
  readonly decide: DecideConditions;
  /** Whether any decision defers anything. */
  readonly mayDefer: boolean;
  /** How many selections it has once its fragments are written out. */
  readonly selectionsOf: (decided: Decided) => number;
}

/** An operation of a document, and what was found in its selections. */
export interface FoundOperation<Found> {
  readonly definition: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** Of the document's text: SHA-256, hexadecimal. */
  readonly documentHash: string;
  readonly found: Found;
}

/** What an {@link Operation} needs of a graph and its settings. */
export interface OperationGraph {
  readonly schema: GraphQLSchema;
  readonly overrides: Overrides;
  readonly policies: Policies;
  readonly introspection: boolean;
}

/** How many decisions of one operation are cached. */
const MAX_DECISIONS = 64;

/** Makes what planning reads. */
export function createPlannable(
  { definition, fragments, documentHash, found }: FoundOperation<Summaries<PlanningAnalyses>>,
  overrides: Overrides | undefined,
): PlannableOperation {
  const { expansion } = found; // the rest need not be held
  const conditionVariables = conditionVariablesOf(definition.directives, found.conditions);
  return {
    key: `${documentHash} ${definition.name?.value ?? ''}`,
    definition,
    fragments,
    conditionVariables,
    decide: compileDecision({
      conditionVariables,
      live: liveDirectiveOf(definition),
      chooseOverrides: overrides && overridesFor(found.overrides, overrides),
    }),
    mayDefer: found.deferral !== false,
    selectionsOf: (decided) => decidedValue(expansion, decided),
  };
}

/**
 * All that is known of an operation before a request brings variables and a caller: a function of its text, the generation of
 * the supergraph and the settings. It is frozen, and shared by all its runs.
 */
export class Operation implements PlannableOperation {
  readonly key: string;
  readonly definition: OperationDefinitionNode;
  readonly fragments: Fragments;
  readonly conditionVariables: readonly ConditionVariable[];
  readonly decide: DecideConditions;
  readonly mayDefer: boolean;
  readonly selectionsOf: (decided: Decided) => number;
  /** SHA-256 of the document's text. */
  readonly documentHash: string;
  readonly name: string | undefined;
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly measure: OperationMeasure;
  readonly coerceVariables: CoerceVariables;
  readonly costOf: CostFunction;
  readonly guard: OperationGuard;
  /** How long responses may be cached, by what the schema says. */
  readonly cacheHintsOf: (decided: Decided) => CachePolicy;
  /** Whether anything is deferred. */
  readonly isDeferred: (decided: Decided) => boolean;
  /** The `throttle` of its `@live`, milliseconds; undefined where it has none. */
  readonly throttleOf: ThrottleOf;

  /** @param operation what was found in it, and what its text amounts to */
  constructor(
    operation: FoundOperation<Summaries<OperationAnalyses>> & { readonly measure: OperationMeasure },
    { schema, overrides, policies, introspection }: OperationGraph,
  ) {
    const { definition, fragments, documentHash, found } = operation;
    const { deferral } = found; // the rest need not be held
    const planned = createPlannable(operation, overrides);
    this.key = planned.key;
    this.definition = definition;
    this.fragments = fragments;
    this.conditionVariables = planned.conditionVariables;
    this.decide = planned.decide;
    this.mayDefer = planned.mayDefer;
    this.selectionsOf = planned.selectionsOf;
    this.documentHash = documentHash;
    this.name = definition.name?.value;
    this.kind = definition.operation;
    this.measure = operation.measure;
    this.coerceVariables = compileVariables(definition, schema, !introspection);
    this.costOf = costFunctionOf(found.cost);
    this.guard = createOperationGuard(found.guarded, policies);
    this.cacheHintsOf = this.kind === 'query' ? eachDecisionOnce(found.cachePolicy) : () => NOT_CACHEABLE;
    this.isDeferred = (decided) => decidedValue(deferral, decided);
    this.throttleOf = compileThrottle(definition);
    Object.freeze(this);
  }
}

function decidedValue<Value>(term: Term<Value>, decided: Decided): Value {
  return typeof term === 'function'
    ? valueOf(term, { variables: NO_VARIABLES, decided, known: new Map() })
    : term;
}

function eachDecisionOnce<Value>(term: Term<Value>): (decided: Decided) => Value {
  if (typeof term !== 'function') return () => term;
  const known = new Map<string, Value>();
  return (decided) => {
    const cached = known.get(decided.key);
    if (cached !== undefined) return cached;
    const value = decidedValue(term, decided);
    if (known.size < MAX_DECISIONS) known.set(decided.key, value);
    return value;
  };
}
