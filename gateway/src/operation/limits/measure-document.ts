import { Kind, type DocumentNode, type FieldNode, type SelectionSetNode, type ValueNode } from 'graphql';
import { tooComplex } from '../../errors.ts';
import { fragmentsOf, type Fragments } from '../document/parse-operation.ts';
import { Analyzer, type Analysis } from '../fold/selection-fold.ts';
import type { OperationLimits } from '../../settings/limits.ts';

/** @throws RequestError as {@link compileProtection} says */
export type ProtectFromDocument = (document: DocumentNode) => void;

/**
 * Prepares rejecting documents whose validation or planning could take long: it counts the selections that remain once fragments
 * are expanded, and the comparisons that validation makes between fields of one response key. It knows no schema and
 * takes time linear in the document, because a fragment is counted once however often it is spread; so it comes before
 * validation, whose comparisons grow with the square.
 *
 * @throws RequestError QUERY_TOO_COMPLEX naming `nesting`, `selections` or `overlaps`; GRAPHQL_VALIDATION_FAILED for a fragment
 *   that spreads itself, which no later step could walk
 */
export function compileProtection(limits: OperationLimits): ProtectFromDocument {
  const analyzer: ExtentAnalyzer = new Analyzer({ extent: extentAnalysis(limits.nesting) });
  return (document) => {
    const fragments = fragmentsOf(document);
    const selections = countSelections(document, fragments, limits.nesting, analyzer);
    if (selections > limits.selections) throw tooComplex('selections', limits.selections, selections);
    enforceOverlaps(document, fragments, limits);
  };
}

function enforceOverlaps(document: DocumentNode, fragments: Fragments, limits: OperationLimits): void {
  let overlaps = 0;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    overlaps += countOverlaps([definition.selectionSet], fragments, limits.overlaps - overlaps);
    if (overlaps > limits.overlaps) throw tooComplex('overlaps', limits.overlaps, overlaps);
  }
}

/** What selections amount to, fragments expanded. */
interface Extent {
  readonly selections: number;
  /** Levels of selection sets. */
  readonly levels: number;
}

type ExtentAnalyzer = Analyzer<{ readonly extent: Analysis<Extent> }>;

const NO_EXTENT: Extent = Object.freeze({ selections: 0, levels: 0 });
const LEAF: Extent = Object.freeze({ selections: 1, levels: 0 });

/** Counts selections, and the levels that those that come after it will descend; literals of arguments may have as many. */
function extentAnalysis(maxNesting: number): Analysis<Extent> {
  return {
    none: NO_EXTENT,
    field({ node }, below) {
      assertShallow(node, maxNesting);
      return below === NO_EXTENT ? LEAF : { selections: 1 + below.selections, levels: below.levels };
    },
    fragment({ node }, below) {
      assertShallow(node, maxNesting);
      return { selections: 1 + below.selections, levels: below.levels };
    },
    combine(parts) {
      let selections = 0;
      let levels = 0;
      for (const part of parts) {
        selections += part.selections;
        levels = Math.max(levels, part.levels);
      }
      return { selections, levels: levels + 1 };
    },
  };
}

/** Selections of all operations together, and those of the largest fragment where that is more. */
function countSelections(
  document: DocumentNode,
  fragments: Fragments,
  maxNesting: number,
  analyzer: ExtentAnalyzer,
): number {
  const fold = analyzer.fold({ fragments, maxLevels: maxNesting });
  let ofOperations = 0;
  let ofLargestFragment = 0;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      for (const { defaultValue } of definition.variableDefinitions ?? [])
        if (defaultValue) assertShallowValue(defaultValue, maxNesting, 1);
      ofOperations += selectionsIn(fold.ofOperation(definition.selectionSet, undefined), maxNesting);
    }
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      const summary = fold.ofFragment(definition.selectionSet, undefined);
      ofLargestFragment = Math.max(ofLargestFragment, selectionsIn(summary, maxNesting));
    }
  }
  return Math.max(ofOperations, ofLargestFragment);
}

/** A fragment that was counted before may be too deep for where it is spread. */
function selectionsIn(
  { extent: { selections, levels } }: { readonly extent: Extent },
  maxNesting: number,
): number {
  if (levels > maxNesting) throw tooComplex('nesting', maxNesting, levels);
  return selections;
}

/** A field, a fragment, or a directive on one, which has no directives itself. */
interface WithArguments {
  readonly arguments?: readonly { readonly value: ValueNode }[] | undefined;
  readonly directives?: readonly WithArguments[] | undefined;
}

/** Literals of arguments are walked recursively by the steps that follow, just as selections are. */
function assertShallow(node: WithArguments, maxNesting: number): void {
  for (const { value } of node.arguments ?? []) assertShallowValue(value, maxNesting, 1);
  for (const directive of node.directives ?? []) assertShallow(directive, maxNesting);
}

function assertShallowValue(value: ValueNode, maxNesting: number, level: number): void {
  if (level > maxNesting) throw tooComplex('nesting', maxNesting, level);
  if (value.kind === Kind.LIST)
    for (const item of value.values) assertShallowValue(item, maxNesting, level + 1);
  if (value.kind === Kind.OBJECT)
    for (const field of value.fields) assertShallowValue(field.value, maxNesting, level + 1);
}

/** The fields at one level of the response, by response key, and the fragments they came from. */
interface Level {
  readonly keys: Map<string, ResponseKey>;
  readonly spreads: Set<string>;
}

interface ResponseKey {
  occurrences: number;
  /** Of all occurrences together, in units of some ten characters: comparing two fields compares their arguments as text. */
  argumentWeight: number;
  readonly selectionSets: SelectionSetNode[];
}

const CHARACTERS_PER_ARGUMENT_WEIGHT = 10;

/**
 * Fields of one response key are merged, and so are their selections below: n occurrences are n² / 2 comparisons, at
 * every level; n fragments spread at one level likewise. Counting stops where the maximum is passed, and the selections
 * were counted before, so the walk is bounded.
 */
function countOverlaps(
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
  maximum: number,
): number {
  const level: Level = { keys: new Map(), spreads: new Set() };
  for (const selectionSet of selectionSets) collectLevel(selectionSet, fragments, level);
  let total = pairs(level.spreads.size);
  for (const { occurrences, argumentWeight, selectionSets: below } of level.keys.values()) {
    total += pairs(occurrences) + (occurrences - 1) * argumentWeight;
    if (total > maximum) return total;
    if (below.length > 0) total += countOverlaps(below, fragments, maximum - total);
  }
  return total;
}

function pairs(count: number): number {
  return (count * (count - 1)) / 2;
}

function collectLevel(selectionSet: SelectionSetNode, fragments: Fragments, level: Level): void {
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) addOccurrence(selection, level.keys);
    else if (selection.kind === Kind.INLINE_FRAGMENT) collectLevel(selection.selectionSet, fragments, level);
    else collectSpread(selection.name.value, fragments, level);
  }
}

/** A fragment spread twice at one level is compared once. */
function collectSpread(name: string, fragments: Fragments, level: Level): void {
  const fragment = fragments.get(name);
  if (!fragment || level.spreads.has(name)) return;
  level.spreads.add(name);
  collectLevel(fragment.selectionSet, fragments, level);
}

function addOccurrence(field: FieldNode, keys: Map<string, ResponseKey>): void {
  const key = field.alias?.value ?? field.name.value;
  const known = keys.get(key) ?? { occurrences: 0, argumentWeight: 0, selectionSets: [] };
  known.occurrences += 1;
  known.argumentWeight += argumentWeight(field);
  if (field.selectionSet) known.selectionSets.push(field.selectionSet);
  keys.set(key, known);
}

function argumentWeight(field: FieldNode): number {
  const start = field.arguments?.at(0)?.loc?.start ?? 0;
  const end = field.arguments?.at(-1)?.loc?.end ?? 0;
  return Math.ceil((end - start) / CHARACTERS_PER_ARGUMENT_WEIGHT);
}
