import type { OperationFacts } from './document-facts.ts';

/** Names of the fields that a progressive override is about, by its label. */
export type OverrideLabels = ReadonlyMap<string, ReadonlySet<string>>;

const PERCENT = /^percent\((\d+(?:\.\d+)?)\)$/;
const NONE: readonly string[] = [];

/**
 * Labels of progressive overrides (`@override(from:, label:)`) that are on for one run of an operation: `percent(N)` for N
 * of 100 operations, others as configured. All are decided by one number, so that what is on at 5 percent is on wherever
 * something is on at 50.
 *
 * @param percents by label, for labels that don't say it themselves
 * @param random from 0 up to 1
 */
export function overrideLabelsFor(
  facts: OperationFacts,
  labels: OverrideLabels,
  percents: Readonly<Record<string, number>>,
  random: () => number,
): readonly string[] {
  if (labels.size === 0) return NONE;
  const drawn = random() * 100;
  const isOn = (label: string): boolean => drawn < percentOf(label, percents);
  return labelsIn(facts, labels).filter(isOn);
}

function percentOf(label: string, percents: Readonly<Record<string, number>>): number {
  const [, percent] = PERCENT.exec(label) ?? [];
  if (percent !== undefined) return Number(percent);
  return (Object.hasOwn(percents, label) ? percents[label] : undefined) ?? 0;
}

const found = new WeakMap<OperationFacts, WeakMap<OverrideLabels, readonly string[]>>();

/** Those that matter to a document: plans of operations that they are not about don't depend on them. */
function labelsIn(facts: OperationFacts, labels: OverrideLabels): readonly string[] {
  let byGraph = found.get(facts);
  if (!byGraph) found.set(facts, (byGraph = new WeakMap()));
  let relevant = byGraph.get(labels);
  if (!relevant) byGraph.set(labels, (relevant = readLabels(facts, labels)));
  return relevant;
}

function readLabels({ ordinals }: OperationFacts, labels: OverrideLabels): readonly string[] {
  const names = new Set([...ordinals.keys()].map(({ name }) => name.value));
  return [...labels.keys()].filter((label) => {
    const fields = labels.get(label) ?? new Set();
    return fields.has(ALWAYS) || [...fields].some((name) => names.has(name));
  });
}

/** Stands for every field: an override of what others require matters although nobody asks for it by name. */
export const ALWAYS = '*';
