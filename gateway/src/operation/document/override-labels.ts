import { ALWAYS, type OverrideLabels } from '../../supergraph/schema-hints.ts';
import type { OperationFacts } from './document-facts.ts';

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

/**
 * Prepares the choice of the labels of progressive overrides (`@override(from:, label:)`) that are on for one run of an
 * operation: `percent(N)` for N of 100 operations, others as configured. All are decided by one number, so that what is on
 * at 5 percent is on wherever something is on at 50.
 *
 * @returns nothing where none matters to the operation
 */
export function overrideLabelsFor(
  facts: OperationFacts,
  { labels, percents, random }: Overrides,
): (() => readonly string[]) | undefined {
  const relevant = labels.size === 0 ? [] : labelsIn(facts, labels);
  if (relevant.length === 0) return undefined;
  const percentOfEach = relevant.map((label) => ({ label, percent: percentOf(label, percents) }));
  return () => {
    const drawn = random() * 100;
    return percentOfEach.filter(({ percent }) => drawn < percent).map(({ label }) => label);
  };
}

function percentOf(label: string, percents: Readonly<Record<string, number>>): number {
  const [, percent] = PERCENT.exec(label) ?? [];
  if (percent !== undefined) return Number(percent);
  return (Object.hasOwn(percents, label) ? percents[label] : undefined) ?? 0;
}

/** Those that matter to a document: plans of operations that they are not about don't depend on them. */
function labelsIn({ ordinals }: OperationFacts, labels: OverrideLabels): readonly string[] {
  const names = new Set([...ordinals.keys()].map(({ name }) => name.value));
  return [...labels.keys()].filter((label) => {
    const fields = labels.get(label) ?? new Set();
    return fields.has(ALWAYS) || [...fields].some((name) => names.has(name));
  });
}
