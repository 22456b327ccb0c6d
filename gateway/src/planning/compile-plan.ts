import type { FetchDataRewrite, FetchNode, PlanNode, QueryPlanSelectionNode } from '@apollo/query-planner';
import { OperationTypeNode } from 'graphql';
import type { TranslatedFetch } from './threads/translate-plan.ts';
import type {
  ContextValue,
  RequiredSelection,
  Rewrite,
  RewriteStep,
  FetchFields,
} from '../plan/fetch-fields.ts';
import { FetchStep, type DeferredPlan, type PlanStep } from '../plan/plan.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import { sha256 } from '../operation/document/sha256.ts';
import { FRAGMENT_PREFIX, readResponseKeys } from './response-keys.ts';

/** Makes a query plan executable: done once per plan. */
export function compilePlanNode(node: PlanNode, types: TypeIndex, path: readonly string[] = []): PlanStep {
  switch (node.kind) {
    case 'Sequence':
      return { kind: 'sequence', steps: node.nodes.map((child) => compilePlanNode(child, types, path)) };
    case 'Parallel':
      return { kind: 'parallel', steps: node.nodes.map((child) => compilePlanNode(child, types, path)) };
    case 'Flatten':
      return compilePlanNode(node.node, types, [...path, ...node.path.map(String)]);
    case 'Fetch':
      return compileFetch(node, types, path);
    case 'Condition':
      throw new Error('A plan has a condition although all were decided before planning.');
    case 'Defer':
      throw new Error('A plan has a deferred part below another node.');
    default:
      return node satisfies never;
  }
}

/** Makes a plan with deferred parts executable; a plan without any is one that has its first part alone. */
export function compileDeferredPlan(node: PlanNode | undefined, types: TypeIndex): DeferredPlan {
  if (node?.kind !== 'Defer') return { first: node && compilePlanNode(node, types), later: [] };
  return {
    first: node.primary.node && compilePlanNode(node.primary.node, types),
    later: node.deferred.map((part) => ({
      deferId: part.label ?? '',
      after: part.depends.map(({ id }) => id),
      plan: compileDeferredPlan(part.node, types),
    })),
  };
}

/** Makes one fetch executable. */
export function compileFetch(node: TranslatedFetch, types: TypeIndex, path: readonly string[]): FetchStep {
  const { expected, brings, isFlat } = readResponseKeys(node);
  const outputRewrites = node.outputRewrites?.map(compileRewrite) ?? [];
  const fields: FetchFields = {
    id: node.id,
    subgraph: node.serviceName,
    isMutation: node.operationKind === OperationTypeNode.MUTATION,
    bodyStart: bodyStartOf(node),
    variableNames: node.variableUsages ?? [],
    path,
    pathText: path.join(' '),
    requires: node.requires?.map(compileRequired),
    expected,
    brings,
    mergeKey: node.requires && isFlat ? mergeKeyOf(node, outputRewrites) : undefined,
    dependents: node.dependents ?? [],
    inputRewrites: node.inputRewrites?.map(compileRewrite) ?? [],
    outputRewrites,
    contextValues:
      node.contextRewrites?.map(({ path: from, renameKeyTo }) => compileContextValue(from, renameKeyTo)) ??
      [],
  };
  return new FetchStep(fields, types);
}

function bodyStartOf({ operation, operationName }: FetchNode): string {
  const name = operationName === undefined ? '' : `,"operationName":${JSON.stringify(operationName)}`;
  return `{"query":${JSON.stringify(operation)}${name},"variables":`;
}

/** Shorter texts take up little more than their digest, and no time to compute it. */
const MAX_MERGE_KEY_CHARACTERS = 256;

/** Everything that decides how a response is merged; of a long text the digest, as the text itself is stored once already. */
function mergeKeyOf(node: TranslatedFetch, outputRewrites: readonly Rewrite[]): string {
  const { operation, operationName, serviceName, dependents = [] } = node;
  const unnamed = operationName === undefined ? operation : operation.replace(` ${operationName}`, '');
  const text = JSON.stringify([serviceName, unnamed, dependents, outputRewrites]);
  return text.length <= MAX_MERGE_KEY_CHARACTERS ? text : sha256(text);
}

function compileRequired(node: QueryPlanSelectionNode): RequiredSelection {
  return node.kind === 'Field'
    ? {
        kind: 'field',
        key: node.alias ?? node.name,
        name: node.name,
        selections: node.selections?.map(compileRequired),
      }
    : {
        kind: 'fragment',
        typeCondition: node.typeCondition,
        selections: node.selections.map(compileRequired),
      };
}

function compileRewriteStep(step: string): RewriteStep {
  return step.startsWith(FRAGMENT_PREFIX)
    ? { kind: 'type', type: step.slice(FRAGMENT_PREFIX.length) }
    : { kind: 'key', key: step };
}

function compileRewrite(rewrite: FetchDataRewrite): Rewrite {
  const path = rewrite.path.slice(0, -1).map(compileRewriteStep);
  const key = rewrite.path.at(-1) ?? '';
  return rewrite.kind === 'ValueSetter'
    ? { kind: 'set', path, key, value: rewrite.setValueTo as unknown }
    : { kind: 'rename', path, key, to: rewrite.renameKeyTo };
}

function compileContextValue(from: readonly string[], variable: string): ContextValue {
  const levelsUp = from.filter((step) => step === '..').length;
  return { variable, levelsUp, path: from.slice(levelsUp).map(compileRewriteStep) };
}
