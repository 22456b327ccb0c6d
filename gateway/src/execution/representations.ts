import type { TypeIndex } from '../supergraph/type-index.ts';
import { applyRewrites } from './apply-rewrites.ts';
import { Failure, internalFailure, isDataObject, type DataObject } from './failure.ts';
import type { FetchStep, RequiredSelection } from './plan-steps.ts';

/** What one fetch tells a subgraph about objects, and which objects each telling is about. */
export interface Representations {
  /** As JSON, each different from the others. */
  readonly texts: readonly string[];
  /** By the index of the representation. */
  readonly targets: readonly (readonly DataObject[])[];
}

/**
 * Makes the representations of objects, each once. Objects of other types than the fetch is for are left out; those that lack
 * what is required get failures where the fetch would have put values.
 */
export function representationsOf(
  objects: readonly DataObject[],
  step: FetchStep,
  types: TypeIndex,
  onMissing: (object: DataObject, failure: Failure) => void,
): Representations {
  const indexes = new Map<string, number>();
  const targets: DataObject[][] = [];
  for (const object of objects) {
    const representation = representationOf(object, step, types);
    if (representation === undefined) continue;
    if (representation instanceof Failure) {
      onMissing(object, representation);
      continue;
    }
    const text = JSON.stringify(representation);
    const index = indexes.get(text);
    if (index === undefined) {
      indexes.set(text, targets.length);
      targets.push([object]);
    } else targets[index]?.push(object);
  }
  return { texts: [...indexes.keys()], targets };
}

function representationOf(
  object: DataObject,
  step: FetchStep,
  types: TypeIndex,
): DataObject | Failure | undefined {
  const made = select(object, step.requires ?? [], types);
  if (made instanceof Failure || made === undefined) return made;
  applyRewrites(made, step.inputRewrites, types);
  return made;
}

/** @returns nothing when no selection applies to the object's type */
function select(
  object: DataObject,
  selections: readonly RequiredSelection[],
  types: TypeIndex,
): DataObject | Failure | undefined {
  const made: DataObject = Object.create(null) as DataObject; // a required field may be called __proto__
  let applies = false;
  for (const selection of selections) {
    const failure =
      selection.kind === 'field'
        ? selectField(object, selection, made, types)
        : selectFragment(object, selection, made, types);
    if (failure instanceof Failure) return failure;
    applies ||= failure === 'applied';
  }
  return applies ? made : undefined;
}

type Outcome = Failure | 'applied' | 'skipped';

function selectFragment(
  object: DataObject,
  fragment: Extract<RequiredSelection, { kind: 'fragment' }>,
  made: DataObject,
  types: TypeIndex,
): Outcome {
  const typename = object['__typename'];
  if (typename instanceof Failure) return typename;
  // Where a type is not told there is only one.
  const told = fragment.typeCondition !== undefined && typeof typename === 'string' ? typename : undefined;
  if (told !== undefined && !types.isSubtype(told, fragment.typeCondition ?? told)) return 'skipped';
  const selected = select(object, fragment.selections, types);
  if (selected instanceof Failure) return selected;
  if (selected === undefined) return 'skipped';
  mergeSelected(made, selected);
  return 'applied';
}

/** Fragments of one representation may select different parts of one nested object. */
function mergeSelected(made: DataObject, selected: DataObject): void {
  for (const key of Object.keys(selected)) {
    const known = made[key];
    const value = selected[key];
    if (isDataObject(known) && isDataObject(value)) mergeSelected(known, value);
    else made[key] = value;
  }
}

function selectField(
  object: DataObject,
  field: Extract<RequiredSelection, { kind: 'field' }>,
  made: DataObject,
  types: TypeIndex,
): Outcome {
  const value = Object.hasOwn(object, field.key) ? object[field.key] : undefined;
  const selected = selectValue(value, field, types);
  if (selected instanceof Failure) return selected;
  made[field.name] = selected;
  return 'applied';
}

function selectValue(
  value: unknown,
  field: Extract<RequiredSelection, { kind: 'field' }>,
  types: TypeIndex,
): unknown {
  if (value === undefined) return internalFailure(`A subgraph did not answer the field ${field.name}.`);
  if (value === null || value instanceof Failure) return value;
  if (Array.isArray(value)) return selectList(value, field, types);
  if (!field.selections) return value;
  if (!isDataObject(value))
    return internalFailure(`A subgraph answered the field ${field.name} with a value of another type.`);
  return select(value, field.selections, types) ?? {};
}

function selectList(
  values: readonly unknown[],
  field: Extract<RequiredSelection, { kind: 'field' }>,
  types: TypeIndex,
): unknown {
  const selected: unknown[] = [];
  for (const value of values) {
    const element = selectValue(value, field, types);
    if (element instanceof Failure) return element;
    selected.push(element);
  }
  return selected;
}
