import { own } from '@trellis/runtime/own-property';
import type { GraphQLError } from 'graphql';
import type { Completed, CompletionContext, DeferredOccurrence, StreamedOccurrence } from './completed.ts';
import { completeData } from './complete-data.ts';
import { objectShapeOf } from './object-shape.ts';
import { isDataObject, type DataObject, type WritableObject, type PathKey } from './failure.ts';
import type { SelectionShape, ValueShape } from '../plan/response-shape.ts';

/** What a deferred fragment comes to at one place of the response. */
export interface PartCompletion {
  /** What it adds, to which objects of the response; absent when it failed. */
  readonly additions: readonly Addition[] | undefined;
  readonly errors: readonly GraphQLError[];
  /** Objects that it adds. */
  readonly objects: number;
  /** Deferred fragments inside it. */
  readonly deferred: readonly DeferredOccurrence[];
  /** Lists in it whose later items come later. */
  readonly streamed: readonly StreamedOccurrence[];
  /** As of {@link Completed}, as what follows. */
  readonly origins: ReadonlySet<object>;
  readonly isIncomplete: boolean;
  readonly isUncertain: boolean;
}

/** Fields that one object of the response gets. */
export interface Addition {
  /** What the client has of it. */
  readonly delivered: DataObject;
  readonly path: readonly PathKey[];
  /** None of its keys is in `delivered`. */
  readonly fields: DataObject;
}

/**
 * Completes a deferred fragment against what the client has. A field that came before is not completed again: what is null
 * stays null, and only what is new inside it is added. A null that would have to replace what the client has fails the part.
 *
 * @see the incremental delivery of the GraphQL specification's working draft, "Execution groups"
 */
export function completePart(
  { shape, object, completed: delivered, path }: DeferredOccurrence,
  context: CompletionContext,
): PartCompletion {
  const additions: Addition[] = [];
  const all: Completed[] = [];
  for (const place of placesOf({ selection: shape.selection, object, delivered, path })) {
    const completed = completeData(place.selection, place.object, context, place);
    all.push(completed);
    if (completed.data)
      additions.push({ delivered: place.delivered, path: place.path, fields: completed.data });
  }
  const failed = all.find(({ data }) => !data);
  const counted = failed ? [failed] : all;
  return {
    additions: failed ? undefined : additions.filter(({ fields }) => Object.keys(fields).length > 0),
    errors: counted.flatMap(({ errors }) => errors),
    objects: all.reduce((sum, { objects }) => sum + objects, 0),
    deferred: failed ? [] : all.flatMap(({ deferred }) => deferred),
    streamed: failed ? [] : all.flatMap(({ streamed }) => streamed),
    origins: new Set(counted.flatMap(({ origins }) => [...origins])),
    isIncomplete: all.some(({ isIncomplete }) => isIncomplete),
    isUncertain: all.some(({ isUncertain }) => isUncertain),
  };
}

/** Whether nothing of the fragment came before: then what it adds is the whole of it. */
export function isWholePart(
  additions: readonly Addition[],
  { shape, object, completed }: DeferredOccurrence,
): boolean {
  const [first, second] = additions;
  if (!first || second || first.delivered !== completed) return false;
  return (
    objectShapeOf(shape.selection, object)?.fields.every(({ responseKey }) =>
      Object.hasOwn(first.fields, responseKey),
    ) ?? false
  );
}

/** The whole fragment, what came before included, once its additions are made. */
export function wholePart({ shape, object, completed: delivered }: DeferredOccurrence): DataObject {
  return pick(shape.selection, object, delivered);
}

/** An object that the client has, and what is asked of it now. */
interface DeliveredPlace {
  readonly selection: SelectionShape;
  readonly object: DataObject;
  readonly delivered: DataObject;
  readonly path: readonly PathKey[];
}

/** The place itself, and those below it that the client has. */
function* placesOf(place: DeliveredPlace): Iterable<DeliveredPlace> {
  yield place;
  const { selection, object, delivered, path } = place;
  for (const { responseKey, sourceKey, value } of objectShapeOf(selection, object)?.fields ?? []) {
    if (!Object.hasOwn(delivered, responseKey) || !Object.hasOwn(object, sourceKey)) continue;
    yield* placesBelow(value, object[sourceKey], delivered[responseKey], [...path, responseKey]);
  }
}

function* placesBelow(
  shape: ValueShape,
  value: unknown,
  delivered: unknown,
  path: readonly PathKey[],
): Iterable<DeliveredPlace> {
  if (shape.kind === 'object') {
    if (isDataObject(value) && isDataObject(delivered))
      yield* placesOf({ selection: shape.selection, object: value, delivered, path });
  } else if (
    shape.kind === 'list' &&
    holdsObjects(shape) &&
    Array.isArray(value) &&
    Array.isArray(delivered)
  ) {
    for (const [index, element] of delivered.entries())
      yield* placesBelow(shape.item, value[index], element, [...path, index]);
  }
}

function holdsObjects(shape: ValueShape): boolean {
  return shape.kind === 'list' ? holdsObjects(shape.item) : shape.kind === 'object';
}

function pick(selection: SelectionShape, object: DataObject, delivered: DataObject): DataObject {
  const picked = Object.create(null) as WritableObject; // clients choose the keys
  for (const { responseKey, sourceKey, value } of objectShapeOf(selection, object)?.fields ?? []) {
    const source = own(object, sourceKey);
    if (Object.hasOwn(delivered, responseKey))
      picked[responseKey] = pickValue(value, source, delivered[responseKey]);
  }
  return picked;
}

function pickValue(shape: ValueShape, value: unknown, delivered: unknown): unknown {
  if (shape.kind === 'object' && isDataObject(value) && isDataObject(delivered))
    return pick(shape.selection, value, delivered);
  if (shape.kind === 'list' && holdsObjects(shape) && Array.isArray(value) && Array.isArray(delivered))
    return delivered.map((element, index) => pickValue(shape.item, value[index], element));
  return delivered;
}
