import { objectShapeOf } from './object-shape.ts';
import { isDataObject, type DataObject } from './failure.ts';
import type { Target } from './merge-values.ts';
import type { PreparedStream } from '../plan/prepared-operation.ts';
import type { SelectionShape, ValueShape } from '../plan/response-shape.ts';

/** Items of one list: from one index up to another one. */
export interface ListWindow {
  readonly from: number;
  readonly to: number;
}

/** The items of streamed lists that one run fetches for: of one stream, by the list. */
export interface StreamWindows {
  readonly stream: PreparedStream;
  readonly windows: ReadonlyMap<readonly unknown[], ListWindow>;
}

/**
 * Finds the objects that a fetch adds to where lists are streamed: the first items of each, or those of one window of one stream
 * with all that is below them.
 */
export class StreamedTargets {
  readonly #root: ValueShape;
  readonly #initialCountOf: (stream: PreparedStream) => number;
  readonly #current: StreamWindows | undefined;

  /** @param current absent: the first items */
  constructor(
    shape: SelectionShape,
    initialCountOf: (stream: PreparedStream) => number,
    current?: StreamWindows,
  ) {
    this.#root = { kind: 'object', nullable: false, selection: shape };
    this.#initialCountOf = initialCountOf;
    this.#current = current;
  }

  /** The objects at a path, once for each way to them. `@` stands for each element of a list. */
  withAncestors(root: DataObject, path: readonly string[]): Target[] {
    const found: Target[] = [];
    this.#descend({ value: root, index: 0, ancestors: [], shapes: [this.#root] }, path, found);
    return found;
  }

  #descend(at: Descent, path: readonly string[], found: Target[]): void {
    const { value, index, ancestors, shapes } = at;
    const key = path[index];
    if (key === undefined) {
      if (isDataObject(value)) found.push({ object: value, ancestors });
    } else if (key === '@') {
      if (Array.isArray(value)) this.#items(value, at, path, found);
    } else if (isDataObject(value) && Object.hasOwn(value, key)) {
      const below = shapes.flatMap((shape) => shapesBelow(shape, value, key));
      const next = { value: value[key], index: index + 1, ancestors: [...ancestors, value], shapes: below };
      this.#descend(next, path, found);
    }
  }

  #items(list: readonly unknown[], at: Descent, path: readonly string[], found: Target[]): void {
    const { index, ancestors, shapes } = at;
    const lists = shapes.flatMap((shape) => (shape.kind === 'list' ? shape : []));
    const stream = lists.find((shape) => shape.stream)?.stream;
    const { from, to } = this.#windowOf(list, stream);
    const isCurrent = stream !== undefined && stream === this.#current?.stream;
    // Below the items of a window all is fetched for: nothing there is streamed.
    const below = isCurrent ? [] : lists.map(({ item }) => item);
    for (const value of list.slice(from, to))
      this.#descend({ value, index: index + 1, ancestors, shapes: below }, path, found);
  }

  #windowOf(list: readonly unknown[], stream: PreparedStream | undefined): ListWindow {
    if (!stream) return ALL;
    if (stream !== this.#current?.stream) return { from: 0, to: this.#initialCountOf(stream) };
    return this.#current.windows.get(list) ?? NONE;
  }
}

const ALL: ListWindow = { from: 0, to: Number.POSITIVE_INFINITY };
const NONE: ListWindow = { from: 0, to: 0 };

interface Descent {
  readonly value: unknown;
  readonly index: number;
  readonly ancestors: readonly DataObject[];
  /** What clients asked for there; none where only the planner did. */
  readonly shapes: readonly ValueShape[];
}

function shapesBelow(shape: ValueShape, object: DataObject, key: string): readonly ValueShape[] {
  return shape.kind === 'object' ? fieldsBelow(shape.selection, object, key) : [];
}

function fieldsBelow(selection: SelectionShape, object: DataObject, key: string): readonly ValueShape[] {
  const shape = objectShapeOf(selection, object);
  if (!shape) return [];
  const own = shape.fields.filter(({ sourceKey }) => sourceKey === key).map(({ value }) => value);
  return [...own, ...shape.deferred.flatMap((part) => fieldsBelow(part.selection, object, key))];
}
