import type { FetchDataRewrite, FetchNode, PlanNode, QueryPlanSelectionNode } from '@apollo/query-planner';
import { Kind, OperationTypeNode, parse, type SelectionNode, type SelectionSetNode } from 'graphql';
import type { TranslatedFetch } from '../supergraph/translate-plan.ts';
import type {
  ContextValue,
  DeferredPlan,
  ExpectedSelection,
  FetchStep,
  PlanStep,
  RequiredSelection,
  Rewrite,
  RewriteStep,
} from '../execution/plan-steps.ts';

/** Makes a query plan executable: done once per plan. */
export function compilePlanNode(node: PlanNode, path: readonly string[] = []): PlanStep {
  switch (node.kind) {
    case 'Sequence':
      return { kind: 'sequence', steps: node.nodes.map((child) => compilePlanNode(child, path)) };
    case 'Parallel':
      return { kind: 'parallel', steps: node.nodes.map((child) => compilePlanNode(child, path)) };
    case 'Flatten':
      return compilePlanNode(node.node, [...path, ...node.path.map(String)]);
    case 'Fetch':
      return compileFetch(node, path);
    case 'Condition':
      throw new Error('A plan has a condition although all were decided before planning.');
    case 'Defer':
      throw new Error('A plan has a deferred part below another node.');
    default:
      return node satisfies never;
  }
}

/** Makes a plan with deferred parts executable; a plan without any is one that has its first part alone. */
export function compileDeferredPlan(node: PlanNode | undefined): DeferredPlan {
  if (node?.kind !== 'Defer') return { first: node && compilePlanNode(node), later: [] };
  return {
    first: node.primary.node && compilePlanNode(node.primary.node),
    later: node.deferred.map((part) => ({
      deferId: part.label ?? '',
      after: part.depends.map(({ id }) => id),
      plan: compileDeferredPlan(part.node),
    })),
  };
}

/** Makes one fetch executable. */
export function compileFetch(node: TranslatedFetch, path: readonly string[]): FetchStep {
  const { expected, isFlat } = readAnswerKeys(node);
  const outputRewrites = node.outputRewrites?.map(compileRewrite) ?? [];
  return {
    kind: 'fetch',
    id: node.id,
    subgraph: node.serviceName,
    isMutation: node.operationKind === OperationTypeNode.MUTATION,
    bodyStart: bodyStartOf(node),
    operation: node.operation,
    variableNames: node.variableUsages ?? [],
    path,
    requires: node.requires?.map(compileRequired),
    expected,
    mergeKey: node.requires && isFlat ? mergeKeyOf(node, outputRewrites) : undefined,
    dependents: node.dependents ?? [],
    inputRewrites: node.inputRewrites?.map(compileRewrite) ?? [],
    outputRewrites,
    contextValues:
      node.contextRewrites?.map(({ path: from, renameKeyTo }) => compileContextValue(from, renameKeyTo)) ??
      [],
  };
}

function bodyStartOf({ operation, operationName }: FetchNode): string {
  const name = operationName === undefined ? '' : `,"operationName":${JSON.stringify(operationName)}`;
  return `{"query":${JSON.stringify(operation)}${name},"variables":`;
}

/** With everything that decides how an answer is merged. */
function mergeKeyOf(node: TranslatedFetch, outputRewrites: readonly Rewrite[]): string {
  const { operation, operationName, serviceName, dependents = [] } = node;
  const unnamed = operationName === undefined ? operation : operation.replace(` ${operationName}`, '');
  return JSON.stringify([serviceName, unnamed, dependents, outputRewrites]);
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

const FRAGMENT_PREFIX = '... on ';

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

interface AnswerKeys {
  readonly expected: readonly ExpectedSelection[];
  /** Whether no field at the top has fields of its own. */
  readonly isFlat: boolean;
}

/** The response keys at the top of a fetch, read from its operation's text. */
function readAnswerKeys(node: FetchNode): AnswerKeys {
  const { definitions } = parse(node.operation, { noLocation: true });
  const fragments = new Map<string, SelectionSetNode>();
  const conditions = new Map<string, string>();
  let root: SelectionSetNode | undefined;
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) root = definition.selectionSet;
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    fragments.set(definition.name.value, definition.selectionSet);
    conditions.set(definition.name.value, definition.typeCondition.name.value);
  }
  const expected: ExpectedSelection[] = [];
  let isFlat = true;
  const renamed = topLevelRenames(node);
  const collect = (set: SelectionSetNode | undefined, typeCondition: string | undefined): void => {
    if (!set) return;
    const keys: string[] = [];
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        keys.push(renamed(selection.alias?.value ?? selection.name.value));
        isFlat &&= !selection.selectionSet;
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet, selection.typeCondition?.name.value ?? typeCondition);
      } else collect(fragments.get(selection.name.value), conditions.get(selection.name.value));
    }
    if (keys.length > 0) expected.push({ typeCondition, keys });
  };
  collect(node.requires ? entitySelections(root) : root, undefined);
  return { expected, isFlat };
}

/** What output rewrites make of the keys at the top. */
function topLevelRenames({ outputRewrites = [] }: FetchNode): (key: string) => string {
  const names = new Map<string, string>();
  for (const rewrite of outputRewrites) {
    const isTop = rewrite.path.slice(0, -1).every((step) => step.startsWith(FRAGMENT_PREFIX));
    if (rewrite.kind === 'KeyRenamer' && isTop) names.set(rewrite.path.at(-1) ?? '', rewrite.renameKeyTo);
  }
  return (key) => names.get(key) ?? key;
}

function entitySelections(root: SelectionSetNode | undefined): SelectionSetNode | undefined {
  const entities = root?.selections.find(
    (selection: SelectionNode) => selection.kind === Kind.FIELD && selection.name.value === '_entities',
  );
  return entities?.kind === Kind.FIELD ? entities.selectionSet : undefined;
}
