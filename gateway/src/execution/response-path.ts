import type { PathKey } from './failure.ts';
import type { FieldShape, SelectionShape, ValueShape } from '../plan/response-shape.ts';

/** A place of a response, from there upwards: nothing is copied on the way down. */
export interface Path {
  readonly above: Path | undefined;
  readonly key: PathKey;
}

/** The keys from the top. */
export function pathOf(path: Path | undefined): PathKey[] {
  const keys: PathKey[] = [];
  for (let at = path; at; at = at.above) keys.push(at.key);
  return keys.toReversed();
}

/** What is asked of the objects in a value, where it has some. */
export function selectionOf(shape: ValueShape): SelectionShape | undefined {
  if (shape.kind === 'list') return selectionOf(shape.item);
  return shape.kind === 'object' ? shape.selection : undefined;
}

/** The rest of a subgraph's error path in the client's keys, as far as the client knows it. */
export function clientPath(below: readonly PathKey[], from: SelectionShape | undefined): PathKey[] {
  const keys: PathKey[] = [];
  let selections = from ? [from] : [];
  for (const key of below) {
    if (typeof key === 'number') {
      keys.push(key);
      continue;
    }
    const fields = selections.flatMap((selection) => fieldsBySource(selection, key));
    const [field] = fields;
    if (!field) break;
    keys.push(field.responseKey);
    selections = fields.map(({ value }) => selectionOf(value)).filter((selection) => selection !== undefined);
  }
  return keys;
}

/** What a subgraph was asked for under a key, in deferred fragments too: it may have been asked for all at once. */
function fieldsBySource(selection: SelectionShape, sourceKey: string): readonly FieldShape[] {
  for (const type of selection.possibleTypes()) {
    const shape = selection.of(type);
    const own = shape?.fields.filter((field) => field.sourceKey === sourceKey) ?? [];
    const later = shape?.deferred.flatMap((part) => fieldsBySource(part.selection, sourceKey)) ?? [];
    if (own.length > 0 || later.length > 0) return [...own, ...later];
  }
  return [];
}
