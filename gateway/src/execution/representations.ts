import type { TypeIndex } from '../supergraph/type-index.ts';
import { applyRewrites } from './apply-rewrites.ts';
import { Failure, internalFailure, isDataObject, type DataObject } from './failure.ts';
import type { FetchStep, RequiredSelection } from './plan-steps.ts';

/** What one call tells a subgraph about objects, and which objects each telling is about. */
export interface RepresentationBatch {
  /** Required keys that are not there: the fields that need them are left out of this call. Usually none. */
  readonly missing: ReadonlyMap<string, Failure>;
  /** As JSON, each different from the others. */
  readonly texts: readonly string[];
  /** By the index of the representation. */
  readonly targets: readonly (readonly DataObject[])[];
}

/**
 * Makes the representations of objects, each once. Objects of other types than the fetch is for are left out.
 *
 * @param onFailure told of objects that can't be represented at all: their key is not there
 */
export function representationsOf(
  objects: readonly DataObject[],
  step: FetchStep,
  types: TypeIndex,
  onFailure: (object: DataObject, failure: Failure) => void,
): readonly RepresentationBatch[] {
  const batches = new Map<string, GrowingBatch>();
  for (const object of objects) {
    const reader = new RepresentationReader(step, types);
    const made = reader.read(object);
    if (made === undefined) continue;
    if (made instanceof Failure) {
      onFailure(object, made);
      continue;
    }
    const { missing } = reader;
    const signature = missing.size === 0 ? '' : [...missing.keys()].toSorted().join();
    let batch = batches.get(signature);
    if (!batch) batches.set(signature, (batch = { missing, indexes: new Map(), targets: [] }));
    addTo(batch, JSON.stringify(made), object);
  }
  return [...batches.values()].map(({ missing, indexes, targets }) => ({
    missing,
    texts: [...indexes.keys()],
    targets,
  }));
}

interface GrowingBatch {
  readonly missing: ReadonlyMap<string, Failure>;
  readonly indexes: Map<string, number>;
  readonly targets: DataObject[][];
}

function addTo({ indexes, targets }: GrowingBatch, text: string, object: DataObject): void {
  const index = indexes.get(text);
  if (index !== undefined) {
    targets[index]?.push(object);
    return;
  }
  indexes.set(text, targets.length);
  targets.push([object]);
}

type FieldSelection = Extract<RequiredSelection, { kind: 'field' }>;
type FragmentSelection = Extract<RequiredSelection, { kind: 'fragment' }>;
type Outcome = Failure | 'applied' | 'skipped';

/** Reads one representation. */
class RepresentationReader {
  readonly missing = new Map<string, Failure>();
  readonly #step: FetchStep;
  readonly #types: TypeIndex;

  constructor(step: FetchStep, types: TypeIndex) {
    this.#step = step;
    this.#types = types;
  }

  /** @returns nothing when the fetch is not for objects of this type */
  read(object: DataObject): DataObject | Failure | undefined {
    const made = this.#select(object, this.#step.requires ?? [], true);
    if (made !== undefined && !(made instanceof Failure))
      applyRewrites(made, this.#step.inputRewrites, this.#types);
    return made;
  }

  /** @param isTop whether these are fields of the entity itself */
  #select(
    object: DataObject,
    selections: readonly RequiredSelection[],
    isTop: boolean,
  ): DataObject | Failure | undefined {
    const made: DataObject = Object.create(null) as DataObject; // a required field may be called __proto__
    let applies = false;
    for (const selection of selections) {
      const outcome =
        selection.kind === 'field'
          ? this.#field(object, selection, made, isTop)
          : this.#fragment(object, selection, made, isTop);
      if (outcome instanceof Failure) return outcome;
      applies ||= outcome === 'applied';
    }
    return applies ? made : undefined;
  }

  #fragment(object: DataObject, fragment: FragmentSelection, made: DataObject, isTop: boolean): Outcome {
    const typename = object['__typename'];
    if (typename instanceof Failure) return typename;
    // Where a type is not told there is only one.
    const { typeCondition } = fragment;
    if (typeCondition !== undefined && typeof typename === 'string') {
      if (!this.#types.isSubtype(typename, typeCondition)) return 'skipped';
    }
    const selected = this.#select(object, fragment.selections, isTop);
    if (selected instanceof Failure) return selected;
    if (selected === undefined) return 'skipped';
    mergeSelected(made, selected);
    return 'applied';
  }

  #field(object: DataObject, field: FieldSelection, made: DataObject, isTop: boolean): Outcome {
    const value = Object.hasOwn(object, field.key) ? object[field.key] : undefined;
    const selected = this.#value(value, field);
    if (!(selected instanceof Failure)) {
      made[field.name] = selected;
      return 'applied';
    }
    if (!isTop || !this.#step.dependents.some(({ needs }) => needs.includes(field.key))) return selected;
    this.missing.set(field.key, selected);
    return 'applied';
  }

  #value(value: unknown, field: FieldSelection): unknown {
    if (value === undefined) return internalFailure(`A subgraph did not answer the field ${field.name}.`);
    if (value === null || value instanceof Failure) return value;
    if (Array.isArray(value)) return this.#list(value, field);
    if (!field.selections) return value;
    if (!isDataObject(value)) return wrongType(field);
    return this.#select(value, field.selections, false) ?? {};
  }

  #list(values: readonly unknown[], field: FieldSelection): unknown {
    const selected: unknown[] = [];
    for (const value of values) {
      const element = this.#value(value, field);
      if (element instanceof Failure) return element;
      selected.push(element);
    }
    return selected;
  }
}

function wrongType({ name }: FieldSelection): Failure {
  return internalFailure(`A subgraph answered the field ${name} with a value of another type.`);
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
