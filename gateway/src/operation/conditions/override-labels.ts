import { own } from '@trellis/runtime/own-property';
import { ALWAYS, type OverrideLabels } from '../../supergraph/schema-hints.ts';
import { gather, itemsOf, type Gathered } from '../fold/gathered.ts';
import type { Analysis } from '../fold/selection-fold.ts';

const PERCENT = /^percent\((\d+(?:\.\d+)?)\)$/;

/** How progressive overrides are chosen. */
export interface Overrides {
  /** Those of the graph. */
  readonly labels: OverrideLabels;
  /** By label, percent of the operations that it is on for, beside those that say it themselves. */
  readonly percents: Readonly<Record<string, number>>;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Finds the labels that matter to an operation: plans of operations that they are not about don't depend on them. */
export function overrideAnalysis(labels: OverrideLabels): Analysis<Gathered<string>> {
  const labelsOfField = new Map<string, Gathered<string>>();
  for (const [label, fields] of labels)
    for (const field of fields) labelsOfField.set(field, gather([labelsOfField.get(field), { item: label }]));
  return {
    isIdle: labelsOfField.size === 0,
    none: undefined,
    field: ({ node }, below) => {
      const own = labelsOfField.get(node.name.value);
      return own ? gather([own, below]) : below;
    },
    combine: gather,
  };
}

/**
 * Prepares the choice of the labels of progressive overrides (`@override(from:, label:)`) that are on for one run of an
 * operation: `percent(N)` for N of 100 operations, others as configured. All are decided by one number, so that what is on
 * at 5 percent is on wherever something is on at 50.
 *
 * @param found by {@link overrideAnalysis}
 * @returns nothing where none matters to the operation
 */
export function overridesFor(
  found: Gathered<string>,
  { labels, percents, random }: Overrides,
): (() => readonly string[]) | undefined {
  if (labels.size === 0) return undefined;
  const named = new Set(itemsOf(found));
  const relevant = [...labels].filter(([label, fields]) => fields.has(ALWAYS) || named.has(label));
  if (relevant.length === 0) return undefined;
  const percentOfEach = relevant.map(([label]) => ({ label, percent: percentOf(label, percents) }));
  return () => {
    const drawn = random() * 100;
    return percentOfEach.filter(({ percent }) => drawn < percent).map(({ label }) => label);
  };
}

function percentOf(label: string, percents: Readonly<Record<string, number>>): number {
  const [, percent] = PERCENT.exec(label) ?? [];
  if (percent !== undefined) return Number(percent);
  return own(percents, label) ?? 0;
}
