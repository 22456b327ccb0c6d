import { own } from '@trellis/runtime/own-property';
import {
  ABSENCE,
  denialReason,
  missing,
  nullReason,
  unknownType,
  wrongTypeReason,
  Failure,
  isDataObject,
  narrowed,
  unresolved,
  type DataObject,
  type WritableObject,
  type FailureReason,
} from './failure.ts';
import { pathOf, selectionOf, type Path } from './response-path.ts';
import type { Completed, CompletionContext, CompletionPlace, StreamedOccurrence } from './completed.ts';
import { IntrospectionPlaces } from './introspection-places.ts';
import type { PreparedStream } from '../plan/prepared-operation.ts';
import { leafValue } from '../supergraph/type-index.ts';
import type { FieldShape, ObjectShape, SelectionShape, ValueShape } from '../plan/response-shape.ts';
import { Findings, type Mark, type Place } from './findings.ts';
import { objectShapeOf, selectsFieldsOfSubtypes } from './object-shape.ts';

const AT_THE_TOP: CompletionPlace = { path: [], delivered: undefined };

/** A null that its position can't hold. */
const nulled: unique symbol = Symbol('nulled');

/** Where nothing was found. */
const NOTHING: Mark = { errors: 0, deferred: 0, streamed: 0 };

/**
 * Shapes merged data as the operation asks, by the rules of GraphQL §6.4.3 and §6.4.4: each value is checked, errors have the
 * client's paths, null propagates. This is the reference: whatever a fast path accepts, it must accept with the same result.
 *
 * @param place where the selection stands, if not at the top
 */
export function completeData(
  selection: SelectionShape,
  data: unknown,
  context: CompletionContext,
  { path, delivered }: CompletionPlace = AT_THE_TOP,
): Completed {
  const completion = new Completion(context);
  const above = path.reduce<Path | undefined>((parent, key) => ({ above: parent, key }), undefined);
  const object = completion.root(selection, data, above, delivered);
  return { data: object, ...completion.found() };
}

/** One item of a streamed list. */
export interface CompletedItem extends Omit<Completed, 'data'> {
  /** Absent where it is a null that the list can't hold. */
  readonly value: unknown;
}

/** Completes an item of a streamed list by itself: what it does to the list is up to the caller. */
export function completeItem(
  { item, field, list, path }: StreamedOccurrence,
  index: number,
  context: CompletionContext,
): CompletedItem {
  const completion = new Completion(context);
  const above = [...path, index].reduce<Path | undefined>(
    (parent, key) => ({ above: parent, key }),
    undefined,
  );
  const value = completion.item(item, list[index], { field, path: above });
  return { value, ...completion.found() };
}

class Completion {
  objects = 0;
  hasPropagated = false;
  isIncomplete = false;
  isUncertain = false;
  readonly #context: CompletionContext;
  /** Whether a null stays where it is, whatever the schema says. */
  readonly #keepsNulls: boolean;
  readonly #findings = new Findings();

  constructor(context: CompletionContext) {
    this.#context = context;
    this.#keepsNulls = context.onError === 'NULL';
  }

  root(
    selection: SelectionShape,
    data: unknown,
    path: Path | undefined,
    delivered: DataObject | undefined,
  ): DataObject | null {
    const object = isDataObject(data) ? this.#fields(selection, data, path, undefined, delivered) : nulled;
    if (object !== nulled) return object;
    this.#dropAll();
    return null;
  }

  /** @returns nothing for a null that its position can't hold */
  item(shape: ValueShape, value: unknown, place: Place): unknown {
    const completed = this.#value(shape, value === undefined ? null : value, place);
    if (completed !== nulled) return completed;
    this.#dropAll();
    return undefined;
  }

  /** All but the value. */
  found(): Omit<Completed, 'data'> {
    const { errors, origins, deferred, streamed } = this.#findings;
    const { objects, hasPropagated, isIncomplete, isUncertain } = this;
    return { errors, objects, origins, hasPropagated, deferred, streamed, isIncomplete, isUncertain };
  }

  #dropAll(): void {
    this.hasPropagated = true;
    this.#findings.dropInside(NOTHING);
  }

  #field(field: FieldShape, object: DataObject, shape: ObjectShape, above: Path | undefined): unknown {
    const place: Place = { field, path: { above, key: field.responseKey } };
    if (field.denial) return this.#fail(field.value, place, [denialReason(field.denial)]);
    switch (field.kind) {
      case 'typename':
        if (shape.isObject) return shape.typeName;
        return this.#fail(field.value, place, object[unresolved]?.reasons ?? [unknownType]);
      case 'introspection':
        return this.#introspection(field);
      case 'data':
        return this.#value(field.value, this.#valueOf(object, field), place);
      default:
        return field.kind satisfies never;
    }
  }

  #introspection({ introspection }: FieldShape): string | null {
    const places = (this.#context.introspection ??= new IntrospectionPlaces());
    return introspection ? places.placeOf(introspection) : null;
  }

  #value(shape: ValueShape, value: unknown, place: Place): unknown {
    if (value === null) return shape.nullable ? null : this.#fail(shape, place, [nullReason(place.field)]);
    if (value instanceof Failure) return this.#fail(shape, place, value.reasons);
    switch (shape.kind) {
      case 'leaf':
        return this.#leaf(shape, value, place);
      case 'object':
        return this.#object(shape, value, place);
      case 'list':
        return this.#list(shape, value, place);
      default:
        return shape satisfies never;
    }
  }

  #leaf(shape: Extract<ValueShape, { kind: 'leaf' }>, value: unknown, place: Place): unknown {
    const completed = leafValue(shape, value);
    return completed === undefined
      ? this.#fail(shape, place, [wrongTypeReason(place.field, shape.type.name)])
      : completed;
  }

  #list(shape: Extract<ValueShape, { kind: 'list' }>, value: unknown, place: Place): unknown {
    if (!Array.isArray(value)) return this.#fail(shape, place, [wrongTypeReason(place.field, 'list')]);
    const before = this.#findings.mark();
    const completed: unknown[] = [];
    let secondaryFrom: number | undefined;
    const { stream } = shape;
    const count = stream ? this.#context.initialCountOf(stream) : value.length;
    for (const [key, element] of value.entries()) {
      if (key >= count) break;
      const item = this.#value(shape.item, element, { field: place.field, path: { above: place.path, key } });
      if (item !== nulled) completed.push(item);
      else if (this.#findings.isSecondary) secondaryFrom ??= this.#findings.causesFrom;
      else return this.#propagate(shape, before);
    }
    if (secondaryFrom === undefined) {
      if (stream && value.length > count) this.#streamLater(stream, shape.item, value, place, before);
      return completed;
    }
    this.#findings.blame(secondaryFrom);
    return this.#propagate(shape, before);
  }

  /** Before the lists in its items, as in the response. */
  #streamLater(
    stream: PreparedStream,
    item: ValueShape,
    list: readonly unknown[],
    { field, path }: Place,
    { streamed }: Mark,
  ): void {
    const delivered = this.#context.initialCountOf(stream);
    this.#findings.streamed.splice(streamed, 0, { stream, field, item, list, delivered, path: pathOf(path) });
  }

  #object(shape: Extract<ValueShape, { kind: 'object' }>, value: unknown, place: Place): unknown {
    if (!isDataObject(value))
      return this.#fail(shape, place, [wrongTypeReason(place.field, shape.selection.type.name)]);
    const before = this.#findings.mark();
    this.objects += 1;
    const completed = this.#fields(shape.selection, value, place.path, place);
    return completed === nulled ? this.#propagate(shape, before) : completed;
  }

  #fields(
    selection: SelectionShape,
    object: DataObject,
    path: Path | undefined,
    place?: Place,
    delivered?: DataObject,
  ): DataObject | typeof nulled {
    const shape = objectShapeOf(selection, object);
    if (!shape) {
      this.isIncomplete = true; // a type that is unknown may yet come
      if (place) this.#findings.report(place, [unknownType], selection);
      return nulled;
    }
    if (shape.denial && place) {
      this.#findings.report(place, [denialReason(shape.denial)], selection);
      return nulled;
    }
    if (!shape.isObject) {
      this.isIncomplete = true; // its own type may yet come
      const failure = object[unresolved];
      if (failure && place && selectsFieldsOfSubtypes(selection, shape)) {
        this.isUncertain = true;
        this.#findings.report(place, failure.reasons, selection);
        return nulled;
      }
    }
    const completed = Object.create(null) as WritableObject; // clients choose the keys
    let secondaryFrom: number | undefined;
    for (const field of shape.fields) {
      if (delivered && Object.hasOwn(delivered, field.responseKey)) continue;
      const value = this.#field(field, object, shape, path);
      if (value !== nulled) completed[field.responseKey] = value;
      else if (this.#findings.isSecondary) secondaryFrom ??= this.#findings.causesFrom;
      else return nulled;
    }
    if (secondaryFrom === undefined) {
      for (const deferred of shape.deferred)
        this.#findings.deferred.push({
          shape: deferred,
          object,
          completed: delivered ?? completed,
          path: pathOf(path),
        });
      return completed;
    }
    this.#findings.blame(secondaryFrom);
    return nulled;
  }

  #valueOf(object: DataObject, field: FieldShape): unknown {
    const value = own(object, field.sourceKey);
    if (value !== undefined) return value;
    const failure = object[unresolved];
    if (failure) {
      this.isUncertain = true;
      return narrowed(failure, field.sourceKey);
    }
    this.isIncomplete = true;
    return this.#context.isHalted === true ? ABSENCE : missing(field);
  }

  /** Reports why a value is missing. @returns what stands in its place */
  #fail(shape: ValueShape, place: Place, reasons: readonly FailureReason[]): null | typeof nulled {
    if (!this.#keepsNulls) this.#findings.report(place, reasons, selectionOf(shape));
    else this.#findings.report(place, explained(shape, place, reasons), selectionOf(shape));
    return this.#nullIn(shape);
  }

  /** Errors inside what became null are not the client's concern, but for the one that made it so. */
  #propagate(shape: ValueShape, before: Mark): null | typeof nulled {
    this.hasPropagated = true;
    this.#findings.dropInside(before);
    return this.#nullIn(shape);
  }

  #nullIn({ nullable }: ValueShape): null | typeof nulled {
    return nullable || this.#keepsNulls ? null : nulled;
  }
}

/** A null that its position can't hold has an error at that position (graphql-spec#1163, `NULL`). */
function explained(
  { nullable }: ValueShape,
  { field }: Place,
  reasons: readonly FailureReason[],
): readonly FailureReason[] {
  return nullable || reasons.length > 0 ? reasons : [nullReason(field)];
}
