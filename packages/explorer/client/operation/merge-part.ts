import type { GraphResult, IncrementalItem, ResponsePart } from './graph-result.ts';

/** The response so far, with one more part. Objects that change are copied, so that what was drawn stays as it was. */
export function mergePart(before: GraphResult | undefined, part: ResponsePart): GraphResult {
  const { incremental = [], hasNext: _hasNext, ...first } = part;
  const whole: GraphResult = before === undefined ? first : { ...before, ...withExtensions(before, part) };
  return incremental.reduce(mergeItem, whole);
}

function withExtensions(before: GraphResult, { extensions }: ResponsePart): GraphResult {
  return extensions ? { extensions: { ...before.extensions, ...extensions } } : {};
}

function mergeItem(
  whole: GraphResult,
  { path = [], data, items, errors = [] }: IncrementalItem,
): GraphResult {
  const all = [...(whole.errors ?? []), ...errors];
  const merged = items
    ? changeAt(whole.data, path.slice(0, -1), (list) => addItems(list, Number(path.at(-1)), items))
    : changeAt(whole.data, path, (object) => mergeValue(object, data));
  return { ...whole, data: merged, ...(all.length > 0 && { errors: all }) };
}

function changeAt(
  into: unknown,
  [step, ...rest]: readonly (string | number)[],
  change: (before: unknown) => unknown,
): unknown {
  if (step === undefined) return change(into);
  if (Array.isArray(into))
    return into.map((element: unknown, index) =>
      index === step ? changeAt(element, rest, change) : element,
    );
  return isObject(into) ? { ...into, [step]: changeAt(into[step], rest, change) } : into;
}

/** A list that is streamed grows at its end. */
function addItems(list: unknown, first: number, items: readonly unknown[]): unknown {
  return Array.isArray(list) ? [...(list as readonly unknown[]).slice(0, first), ...items] : list;
}

/** What came before does not change: a fragment adds to it. A part that failed adds nothing. */
function mergeValue(before: unknown, added: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(added))
    return before.map((element: unknown, index) => mergeValue(element, added[index]));
  if (!isObject(before) || !isObject(added)) return before ?? added;
  const names = Object.keys(added).map((name) => [name, mergeValue(before[name], added[name])] as const);
  return { ...before, ...Object.fromEntries(names) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
