import {
  Kind,
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type SelectionSetNode,
} from 'graphql';
import { tooComplex } from '../../errors.ts';
import { fragmentTypeOf, isIntrospectionRoot } from '../../supergraph/type-index.ts';
import { inclusionOf, type Inclusion } from '../document/decided-directives.ts';
import { fragmentCycle, type Fragments } from '../document/parse-operation.ts';
import { SchemaFields, UNKNOWN_FIELD, type SchemaField } from './schema-fields.ts';

/** A field where it is selected, and what the schema says of it. Nothing is known of it where the fold has no schema. */
export interface SelectedField extends SchemaField {
  readonly node: FieldNode;
  /** The type that it is selected on. */
  readonly parent: GraphQLCompositeType | undefined;
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
  /** How many levels of selection sets there may be, fragments counted as levels. @default any number */
  readonly maxLevels?: number | undefined;
}

/** The summaries of one selection set, in the order of the analyses. */
type Found = readonly unknown[];

/** Some analyses, made ready to be asked together about the documents of one schema. */
export class Analyzer<All extends Analyses> {
  readonly fields: SchemaFields | undefined;
  /** Those that are asked. */
  readonly active: readonly Analysis<unknown>[];
  /** Of nothing selected. */
  readonly none: Found;
  readonly #all: All;

  /** @param schema absent: then nothing has a type */
  constructor(analyses: All, schema?: GraphQLSchema) {
    this.#all = analyses;
    this.fields = schema && new SchemaFields(schema);
    this.active = Object.values(analyses).filter(({ isIdle }) => isIdle !== true);
    this.none = this.active.map(({ none }) => none);
  }

  /** Begins a fold over a document: what it finds of a fragment holds for all its operations. */
  fold(document: FoldedDocument): SelectionFold<All> {
    return new SelectionFold(document, this);
  }

  /** Gives summaries the names of their analyses. */
  nameAll(found: Found): Summaries<All> {
    const summaries: Record<string, unknown> = {};
    let index = 0;
    for (const [name, { isIdle, none }] of Object.entries(this.#all)) {
      summaries[name] = isIdle === true ? none : found[index];
      if (isIdle !== true) index += 1;
    }
    return summaries as Summaries<All>; // each name with what its own analysis has found
  }
}

/**
 * Folds selections from the leaves up, all analyses in one walk. Each selection set is visited once: one can be come to a second
 * time only through its fragment, and has the same type then, so the summary of a fragment is remembered. It takes
 * time linear in the text, however fragments multiply one another.
 */
export class SelectionFold<All extends Analyses> {
  readonly #fragments: Fragments;
  readonly #maxLevels: number;
  readonly #analyzer: Analyzer<All>;
  readonly #fields: SchemaFields | undefined;
  readonly #active: readonly Analysis<unknown>[];
  /** Of the selections of fragments. Undefined: just being found. */
  readonly #known = new Map<SelectionSetNode, Found | undefined>();

  constructor({ fragments, maxLevels = Number.POSITIVE_INFINITY }: FoldedDocument, analyzer: Analyzer<All>) {
    this.#fragments = fragments;
    this.#maxLevels = maxLevels;
    this.#analyzer = analyzer;
    this.#fields = analyzer.fields;
    this.#active = analyzer.active;
  }

  /**
   * What the selections of an operation amount to.
   *
   * @throws RequestError QUERY_TOO_COMPLEX naming `nesting`; GRAPHQL_VALIDATION_FAILED for a fragment that spreads itself
   */
  ofOperation(set: SelectionSetNode, root: GraphQLCompositeType | undefined): Summaries<All> {
    return this.#analyzer.nameAll(this.#fold(set, root, 1));
  }

  /** What the selections of a fragment amount to, whether or not it is spread. @throws as {@link ofOperation} */
  ofFragment(set: SelectionSetNode, type: GraphQLCompositeType | undefined): Summaries<All> {
    return this.#analyzer.nameAll(this.#known.get(set) ?? this.#remember(set, type, 1));
  }

  #fold(set: SelectionSetNode, parent: GraphQLCompositeType | undefined, level: number): Found {
    if (level > this.#maxLevels) throw tooComplex('nesting', this.#maxLevels, level);
    const { selections } = set;
    const active = this.#active;
    // As long as the selections: each is replaced by its summary. To push to an empty array makes room for seventeen.
    const columns = active.map((): unknown[] => [...selections]);
    for (let row = 0; row < selections.length; row += 1) {
      const selection = selections[row];
      if (selection?.kind === Kind.FIELD) this.#addField(columns, row, selection, parent, level);
      else if (selection) this.#addFragment(columns, row, selection, parent, level);
    }
    return active.map((analysis, index) => analysis.combine(columns[index] ?? []));
  }

  #addField(
    columns: Columns,
    row: number,
    node: FieldNode,
    parent: GraphQLCompositeType | undefined,
    level: number,
  ): void {
    const { definition, type } = this.#fields?.of(parent, node.name.value) ?? UNKNOWN_FIELD;
    const field = { node, parent, definition, type, isIntrospection: isIntrospectionRoot(node) };
    const below = node.selectionSet ? this.#fold(node.selectionSet, type, level + 1) : this.#analyzer.none;
    const inclusion = inclusionOf(node);
    const active = this.#active;
    for (let index = 0; index < active.length; index += 1) {
      const analysis = active[index];
      const column = columns[index];
      if (analysis && column)
        column[row] = included(analysis, inclusion, analysis.field(field, below[index]));
    }
  }

  #addFragment(
    columns: Columns,
    row: number,
    node: InlineFragmentNode | FragmentSpreadNode,
    parent: GraphQLCompositeType | undefined,
    level: number,
  ): void {
    const isSpread = node.kind === Kind.FRAGMENT_SPREAD;
    const definition = isSpread ? this.#fragments.get(node.name.value) : node;
    const type =
      this.#fields && fragmentTypeOf(this.#fields.schema, definition, isSpread ? undefined : parent);
    let below = this.#analyzer.none;
    if (isSpread && definition) below = this.#ofSpread(node, definition.selectionSet, type, level + 1);
    else if (definition) below = this.#fold(definition.selectionSet, type, level + 1);
    const fragment = { node, type };
    const inclusion = inclusionOf(node);
    const active = this.#active;
    for (let index = 0; index < active.length; index += 1) {
      const analysis = active[index];
      const column = columns[index];
      if (!analysis || !column) continue;
      const summary = below[index];
      const own = analysis.fragment ? analysis.fragment(fragment, summary) : summary;
      column[row] = included(analysis, inclusion, own);
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
    const shared = this.#active.map((analysis, index) =>
      analysis.shared ? analysis.shared(found[index]) : found[index],
    );
    this.#known.set(set, shared);
    return shared;
  }
}

/** The summaries of the selections of one set, for each analysis. */
type Columns = readonly unknown[][];

function included(analysis: Analysis<unknown>, inclusion: Inclusion, summary: unknown): unknown {
  return inclusion === true || !analysis.onlyIf ? summary : analysis.onlyIf(inclusion, summary);
}
