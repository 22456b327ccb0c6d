import {
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  type InlineFragmentNode,
  type SelectionSetNode,
} from 'graphql';
import { tooComplex } from '../../errors.ts';
import { fragmentTypeOf, isIntrospectionRoot } from '../../supergraph/selection-types.ts';
import { inclusionOf, type Inclusion } from '../document/decided-directives.ts';
import { fragmentCycle, type Fragments } from '../document/fragments.ts';

/** A field where it is selected, and what the schema says of it. */
export interface SelectedField {
  readonly node: FieldNode;
  /** The type that it is selected on. */
  readonly parent: GraphQLCompositeType | undefined;
  /** Absent for `__typename`, `__schema` and `__type`, and where the fold has no schema. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** The type below it; absent for leaves. */
  readonly type: GraphQLCompositeType | undefined;
  /** Whether it is `__schema` or `__type`. */
  readonly isIntrospection: boolean;
}

/** An inline fragment, or a named one where it is spread. */
export interface SelectedFragment {
  readonly node: InlineFragmentNode | FragmentSpreadNode;
  /** The type that its selections are made on. */
  readonly type: GraphQLCompositeType | undefined;
}

/**
 * One question about selections: what a field amounts to with what is below it, and what several selections amount to together.
 * Summaries are never changed: those of a fragment are used at each of its spreads.
 */
export interface Analysis<Summary> {
  /** Of nothing selected, and of what is below a leaf. */
  readonly none: Summary;
  field(field: SelectedField, below: Summary): Summary;
  /** Of the selections of one set, in their order. */
  combine(parts: readonly Summary[]): Summary;
  /** @default what is below it */
  fragment?(fragment: SelectedFragment, below: Summary): Summary;
  /** Of a selection that `@skip` or `@include` may leave out. @default as if it were always asked for */
  onlyIf?(inclusion: Condition, summary: Summary): Summary;
  /** Of a named fragment, which may be spread at several places. @default as it is */
  shared?(summary: Summary): Summary;
  /** Whether every summary is `none`, whatever is selected: then nothing is asked. @default false */
  readonly isIdle?: boolean;
}

type Condition = Exclude<Inclusion, true>;

/** Analyses by their names. */
export type Analyses = Readonly<Record<string, Analysis<unknown>>>;

/** What each of some analyses has found. */
export type Summaries<All extends Analyses> = {
  readonly [Name in keyof All]: All[Name] extends Analysis<infer Summary> ? Summary : never;
};

/** What a fold goes through. */
export interface FoldedDocument {
  readonly fragments: Fragments;
  /** Absent: then nothing has a type. */
  readonly schema?: GraphQLSchema | undefined;
  /** How many levels of selection sets there may be, fragments counted as levels. @default any number */
  readonly maxLevels?: number | undefined;
}

/** The summaries of one selection set, in the order of the analyses. */
type Found = readonly unknown[];

/** Some analyses, made ready to be asked together. */
export class Analyzer<All extends Analyses> {
  readonly #names: readonly string[];
  readonly #analyses: readonly Analysis<unknown>[];
  readonly #idle: Readonly<Record<string, unknown>>;

  constructor(analyses: All) {
    const entries = Object.entries(analyses);
    const active = entries.filter(([, { isIdle }]) => isIdle !== true);
    const idle = entries.filter(([, { isIdle }]) => isIdle === true);
    this.#names = active.map(([name]) => name);
    this.#analyses = active.map(([, analysis]) => analysis);
    this.#idle = Object.fromEntries(idle.map(([name, { none }]) => [name, none]));
  }

  /** Begins a fold over a document: what it finds of a fragment holds for all its operations. */
  fold(document: FoldedDocument): SelectionFold<All> {
    return new SelectionFold<All>(document, this.#analyses, (found) => {
      const summaries: Record<string, unknown> = { ...this.#idle };
      this.#names.forEach((name, index) => (summaries[name] = found[index]));
      return summaries as Summaries<All>; // each name with what its own analysis has found
    });
  }
}

/**
 * Folds selections from the leaves up, all analyses in one walk. Each selection set is visited once: one can be come to a second
 * time only through its fragment, and has the same type then, so the summary of a fragment is remembered. It takes
 * time linear in the text, however fragments multiply one another.
 */
export class SelectionFold<All extends Analyses> {
  readonly #document: FoldedDocument;
  readonly #analyses: readonly Analysis<unknown>[];
  readonly #none: Found;
  readonly #named: (found: Found) => Summaries<All>;
  /** Of the selections of fragments. Undefined: just being found. */
  readonly #known = new Map<SelectionSetNode, Found | undefined>();

  constructor(
    document: FoldedDocument,
    analyses: readonly Analysis<unknown>[],
    named: (found: Found) => Summaries<All>,
  ) {
    this.#document = document;
    this.#analyses = analyses;
    this.#none = analyses.map(({ none }) => none);
    this.#named = named;
  }

  /**
   * What the selections of an operation amount to.
   *
   * @throws RequestRefused QUERY_TOO_COMPLEX naming `nesting`; GRAPHQL_VALIDATION_FAILED for a fragment that spreads itself
   */
  ofOperation(set: SelectionSetNode, root: GraphQLCompositeType | undefined): Summaries<All> {
    return this.#named(this.#fold(set, root, 1));
  }

  /** What the selections of a fragment amount to, whether or not it is spread. @throws as {@link ofOperation} */
  ofFragment(set: SelectionSetNode, type: GraphQLCompositeType | undefined): Summaries<All> {
    return this.#named(this.#known.get(set) ?? this.#remember(set, type, 1));
  }

  #fold(set: SelectionSetNode, parent: GraphQLCompositeType | undefined, level: number): Found {
    const { maxLevels = Number.POSITIVE_INFINITY } = this.#document;
    if (level > maxLevels) throw tooComplex('nesting', maxLevels, level);
    const all = this.#analyses;
    const columns: unknown[][] = [];
    for (let index = 0; index < all.length; index += 1) columns.push([]);
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) this.#addField(columns, selection, parent, level);
      else this.#addFragment(columns, selection, parent, level);
    }
    const found: unknown[] = [];
    for (let index = 0; index < all.length; index += 1) found.push(all[index]?.combine(columns[index] ?? []));
    return found;
  }

  #addField(
    columns: Columns,
    node: FieldNode,
    parent: GraphQLCompositeType | undefined,
    level: number,
  ): void {
    const field = selectField(node, parent, this.#document.schema);
    const below = node.selectionSet ? this.#fold(node.selectionSet, field.type, level + 1) : this.#none;
    const inclusion = inclusionOf(node);
    const all = this.#analyses;
    for (let index = 0; index < all.length; index += 1) {
      const analysis = all[index];
      if (analysis) add(columns, index, analysis, inclusion, analysis.field(field, below[index]));
    }
  }

  #addFragment(
    columns: Columns,
    node: InlineFragmentNode | FragmentSpreadNode,
    parent: GraphQLCompositeType | undefined,
    level: number,
  ): void {
    const { schema, fragments } = this.#document;
    const isSpread = node.kind === Kind.FRAGMENT_SPREAD;
    const definition = isSpread ? fragments.get(node.name.value) : node;
    const type = schema && fragmentTypeOf(schema, definition, isSpread ? undefined : parent);
    let below = this.#none;
    if (isSpread && definition) below = this.#ofSpread(node, definition.selectionSet, type, level + 1);
    else if (definition) below = this.#fold(definition.selectionSet, type, level + 1);
    const fragment: SelectedFragment = { node, type };
    const inclusion = inclusionOf(node);
    for (const [index, analysis] of this.#analyses.entries()) {
      const summary = below[index];
      const own = analysis.fragment ? analysis.fragment(fragment, summary) : summary;
      add(columns, index, analysis, inclusion, own);
    }
  }

  #ofSpread(
    spread: FragmentSpreadNode,
    set: SelectionSetNode,
    type: GraphQLCompositeType | undefined,
    level: number,
  ): Found {
    const known = this.#known.get(set);
    if (known) return known;
    if (this.#known.has(set)) throw fragmentCycle(spread);
    return this.#remember(set, type, level);
  }

  #remember(set: SelectionSetNode, type: GraphQLCompositeType | undefined, level: number): Found {
    this.#known.set(set, undefined);
    const found = this.#fold(set, type, level);
    const shared = this.#analyses.map((analysis, index) =>
      analysis.shared ? analysis.shared(found[index]) : found[index],
    );
    this.#known.set(set, shared);
    return shared;
  }
}

/** The summaries of the selections of one set, for each analysis. */
type Columns = readonly unknown[][];

function add(
  columns: Columns,
  index: number,
  analysis: Analysis<unknown>,
  inclusion: Inclusion,
  summary: unknown,
): void {
  const isOptional = inclusion !== true && analysis.onlyIf !== undefined;
  columns[index]?.push(isOptional ? analysis.onlyIf?.(inclusion, summary) : summary);
}

function selectField(
  node: FieldNode,
  parent: GraphQLCompositeType | undefined,
  schema: GraphQLSchema | undefined,
): SelectedField {
  const isIntrospection = isIntrospectionRoot(node);
  if (isIntrospection) {
    const type = schema?.getType(node.name.value === '__schema' ? '__Schema' : '__Type');
    return {
      node,
      parent,
      definition: undefined,
      type: isCompositeType(type) ? type : undefined,
      isIntrospection,
    };
  }
  // fields are an object without prototype
  const definition =
    isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined;
  const type = definition && node.selectionSet && getNamedType(definition.type);
  return { node, parent, definition, type: isCompositeType(type) ? type : undefined, isIntrospection };
}
