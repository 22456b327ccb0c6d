import type { CachePolicy } from '../caching/cache-policy.ts';
import type { CostSettings } from '../settings/cost.ts';
import type { OverrideLabels } from '../supergraph/schema-hints.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { readAuthorizationRules } from './access/authorization-rules.ts';
import { guardAnalysis, type GuardedPlace } from './access/guarded-places.ts';
import { readCacheHints } from './cache-hints/cache-hints.ts';
import { cachePolicyAnalysis } from './cache-hints/cache-policy-analysis.ts';
import { conditionAnalysis, deferralAnalysis } from './conditions/condition-variables.ts';
import { overrideAnalysis } from './conditions/override-labels.ts';
import type { ConditionVariable } from './document/decided-conditions.ts';
import type { Gathered } from './fold/gathered.ts';
import type { Analyses, Analysis } from './fold/selection-fold.ts';
import type { Term } from './fold/term.ts';
import { costAnalysis } from './limits/enforce-limits.ts';
import type { SelectionCost } from './limits/selection-cost.ts';
import { depthAnalysis, type DepthPaths } from './limits/depth.ts';
import { expansionAnalysis, totalsAnalysis, type Totals } from './limits/measure-operation.ts';
import { readGraphAnnotations } from './limits/graph-annotations.ts';
import { GraphCosts } from './limits/graph-costs.ts';

/** What is asked about the selections of an operation for planning it. None of it needs a schema. */
export interface PlanningAnalyses extends Analyses {
  readonly conditions: Analysis<Gathered<ConditionVariable>>;
  readonly deferral: Analysis<Term<boolean>>;
  readonly expansion: Analysis<Term<number>>;
  readonly overrides: Analysis<Gathered<string>>;
}

/** All that is asked about the selections of an operation. */
export interface OperationAnalyses extends PlanningAnalyses {
  readonly totals: Analysis<Totals>;
  readonly depth: Analysis<DepthPaths>;
  readonly cost: Analysis<SelectionCost>;
  readonly cachePolicy: Analysis<Term<CachePolicy>>;
  readonly guarded: Analysis<Gathered<GuardedPlace>>;
}

/** @param labels of the progressive overrides of the graph */
export function planningAnalyses(labels: OverrideLabels): PlanningAnalyses {
  return {
    conditions: conditionAnalysis,
    deferral: deferralAnalysis,
    expansion: expansionAnalysis,
    overrides: overrideAnalysis(labels),
  };
}

/** Reads from a supergraph what its operations are asked by. */
export function operationAnalyses(supergraph: Supergraph, settings: CostSettings): OperationAnalyses {
  const { schema, supergraphSchema } = supergraph;
  const annotations = readGraphAnnotations(supergraph);
  return {
    ...planningAnalyses(supergraph.hints.overrideLabels),
    totals: totalsAnalysis,
    depth: depthAnalysis(annotations.depthAllowances),
    cost: costAnalysis(new GraphCosts({ schema, annotations, settings })),
    cachePolicy: cachePolicyAnalysis(schema, readCacheHints(supergraphSchema)),
    guarded: guardAnalysis(schema, readAuthorizationRules(supergraphSchema)),
  };
}
