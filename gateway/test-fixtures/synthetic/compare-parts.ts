import { own } from '@trellis/runtime/own-property';
import type { ExecutionResult as WholeResult, GraphQLError } from 'graphql';
import type { PathKey } from '../../src/execution/failure.ts';
import { executeIncrementally } from '../../src/execution/execute-incrementally.ts';
import type { CompletedPart, StreamedItems } from '../../src/execution/incremental-result.ts';
import { EXACT, groupErrors, prepareToRun, type Engine } from './compare.ts';
import { FAULT_CODE } from './field-resolution.ts';
import type { RandomOperation } from './random-operation.ts';
import type { RunningGraph } from './start-graph.ts';

type Tree = Record<PathKey, unknown>;

/** A response made of its parts. */
export interface PartsTogether {
  /** Made of what each part adds. */
  readonly data: unknown;
  /** Made of the whole of each part. */
  readonly dataOfWholes: unknown;
  readonly errors: readonly GraphQLError[];
  /** Where parts failed. */
  readonly failed: readonly (readonly PathKey[])[];
  /** Beside the first. */
  readonly parts: number;
  /** Items of lists that came later. */
  readonly items: number;
}

/** The gateway's response in parts, put together again. @throws when a part adds what was there, or where nothing is */
export async function executeInParts(
  engine: Engine,
  graph: RunningGraph,
  operation: RandomOperation,
): Promise<PartsTogether> {
  const prepared = await prepareToRun(engine, graph, operation, { incremental: true });
  const { initial, updates } = await executeIncrementally(...prepared);
  const data: unknown = JSON.parse(initial.dataText);
  const dataOfWholes: unknown = JSON.parse(initial.dataText);
  const errors = [...initial.errors];
  const failed: (readonly PathKey[])[] = [];
  let parts = 0;
  let streamedItems = 0;
  for await (const { completed, streamed } of updates) {
    for (const items of streamed) {
      parts += 1;
      streamedItems += items.itemTexts.length;
      errors.push(...items.errors, ...(items.endedBy ?? []));
      if (items.endedBy) failed.push(items.pending.path);
      for (const tree of [data, dataOfWholes]) append(tree, items);
    }
    for (const part of completed) {
      parts += 1;
      errors.push(...part.errors);
      if (part.dataText === undefined) failed.push(failedPathOf(part));
      else merge(at(dataOfWholes, part.pending.path), JSON.parse(part.dataText) as Tree);
      for (const { path, dataText } of part.added) add(at(data, path), JSON.parse(dataText) as Tree);
    }
  }
  return { data, dataOfWholes, errors, failed, parts, items: streamedItems };
}

/** @throws when the items do not follow those that were there */
function append(data: unknown, { pending: { path, items }, itemTexts }: StreamedItems<GraphQLError>): void {
  const list: unknown = at(data, path);
  if (!Array.isArray(list) || list.length !== items)
    throw new Error(`Items follow no others at ${path.join('.')}.`);
  list.push(...itemTexts.map((text) => JSON.parse(text) as unknown));
}

function failedPathOf({ pending, errors }: CompletedPart<GraphQLError>): readonly PathKey[] {
  if (errors.length === 0) throw new Error(`The part at ${pending.path.join('.')} failed without an error.`);
  return pending.path;
}

function at(data: unknown, path: readonly PathKey[]): Tree {
  const found = path.reduce<unknown>((value, key) => (value as Tree)[key], data);
  if (typeof found !== 'object' || found === null) throw new Error(`Nothing is at ${path.join('.')}.`);
  return found as Tree;
}

function add(target: Tree, fields: Tree): void {
  for (const [key, value] of Object.entries(fields)) {
    if (Object.hasOwn(target, key)) throw new Error(`The key ${key} came twice.`);
    define(target, key, value);
  }
}

function merge(target: Tree, source: Tree): void {
  for (const [key, value] of Object.entries(source)) {
    const known = own(target, key);
    if (isTree(known) && isTree(value)) merge(known, value);
    else define(target, key, value);
  }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null;
}

/** A key may be `__proto__`. */
function define(target: Tree, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Compares parts put together with the whole response. They are the same but for this: a part that fails takes its own fields
 * along and never what came before it, where the whole response has a null.
 *
 * @returns what differs; nothing when they agree
 */
export function differenceOfParts(together: PartsTogether, whole: WholeResult): string | undefined {
  const { data, dataOfWholes, failed } = together;
  const same = JSON.stringify(sorted(data)) === JSON.stringify(sorted(dataOfWholes));
  if (!same) return `added: ${JSON.stringify(data)}\nwholes: ${JSON.stringify(dataOfWholes)}`;
  const place = disagreement(data, whole.data ?? null, [], failed);
  const found = `${JSON.stringify(data)}\nexpected: ${JSON.stringify(whole.data)}\n${together.errors.join('\n')}`;
  if (place) return `differs at ${place.join('.')}: ${found}`;
  const wrong = wrongErrors(together, whole);
  return wrong && `errors ${wrong}: ${found}\nexpected: ${(whole.errors ?? []).join('\n')}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTree(value)) return value;
  return Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}

/** @returns the path at which they disagree */
function disagreement(
  data: unknown,
  whole: unknown,
  path: readonly PathKey[],
  failed: readonly (readonly PathKey[])[],
): readonly PathKey[] | undefined {
  if (!isTree(whole) || !isTree(data)) {
    const isRetained =
      whole === null && isTree(data) && failed.some((part) => isBelow(path, part) || isBelow(part, path));
    return data === whole || isRetained ? undefined : path;
  }
  const isTaken = failed.some((part) => isBelow(path, part));
  const keys = new Set([...Object.keys(whole), ...Object.keys(data)]);
  for (const key of keys) {
    const below = [...path, Array.isArray(whole) ? Number(key) : key];
    if (!Object.hasOwn(whole, key)) return below;
    if (!Object.hasOwn(data, key)) {
      if (!isTaken) return below;
      continue;
    }
    const place = disagreement(data[key], whole[key], below, failed);
    if (place) return place;
  }
  return undefined;
}

/** Whether a path is another one or below it. */
function isBelow(path: readonly PathKey[], above: readonly PathKey[]): boolean {
  return above.length <= path.length && above.every((key, index) => path[index] === key);
}

/** Of errors below a null, one must be there; all others are the same, unless they went with a part that failed. */
function wrongErrors({ errors, failed }: PartsTogether, whole: WholeResult): string | undefined {
  const ours = groupErrors(errors, whole.data);
  const theirs = groupErrors(whole.errors, whole.data);
  const excused = (whole.errors ?? []).filter(({ path = [] }) => failed.some((part) => isBelow(path, part)));
  const excuses = new Set(
    [...groupErrors(excused, whole.data)].flatMap(([place, texts]) => (place === EXACT ? texts : [place])),
  );
  for (const place of new Set([...ours.keys(), ...theirs.keys()])) {
    const mine = ours.get(place) ?? [];
    const other = theirs.get(place) ?? [];
    if (place === EXACT) {
      if (mine.some((text) => !other.includes(text)))
        return `too many: ${mine.filter((text) => !other.includes(text)).join()}`;
      if (other.some((text) => !mine.includes(text) && !excuses.has(text)))
        return `missing: ${other.filter((text) => !mine.includes(text)).join()}`;
    } else {
      if (!mine.every((text) => text.includes(FAULT_CODE)) || other.length === 0)
        return `of no fault at ${place}`;
      if (mine.length === 0 && !excuses.has(place)) return `missing at ${place}`;
    }
  }
  return undefined;
}
