import { own } from '@trellis/runtime/own-property';
import type { FieldType, TypeIndex } from '../supergraph/type-index.ts';
import { applyRewrites } from './merge-values.ts';
import {
  ABSENCE,
  absent,
  Failure,
  internalFailure,
  isDataObject,
  type DataObject,
  type WritableObject,
} from './failure.ts';
import type { RequiredSelection } from '../plan/fetch-fields.ts';
import type { FetchStep } from '../plan/plan.ts';

/** The representations of one subgraph request, and the objects that each stands for. */
export interface RepresentationBatch {
  /** Required keys that are missing: the fields that need them are left out of this request. Usually none. */
  readonly missing: ReadonlyMap<string, Failure>;
  /** As JSON, each different from the others. */
  readonly texts: readonly string[];
  /** By the index of the representation. */
  readonly targets: readonly (readonly DataObject[])[];
}

/** Of a batch whose objects have all keys. */
export const NOTHING_MISSING: RepresentationBatch['missing'] = new Map();

/**
 * Makes the representations of objects, each once. Objects of other types than the fetch is for are left out. A subgraph is
 * never sent null where the schema has no null, nor a key that is null: what hangs on it is null, for the reason that the
 * value is, and {@link ABSENCE} where just the object is missing.
 *
 * @param onFailure called with objects that can't be represented at all, because their key is missing
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
  read(object: DataObject): WritableObject | Failure | undefined {
    const made = this.#select(object, this.#step.requires ?? [], typenameOf(object), true);
    if (made === undefined || made instanceof Failure) return made;
    if (!this.#hasKey(made)) return ABSENCE;
    applyRewrites(made, this.#step.inputRewrites, this.#types);
    return made;
  }

  /** A key may have parts that are null, but not be null as a whole: an object that is null through and through names nothing. */
  #hasKey(made: DataObject): boolean {
    const keys = Object.keys(made).filter((name) => name !== '__typename' && !this.#isNeeded(name));
    return keys.length === 0 || keys.some((name) => holdsValue(made[name]));
  }

  /** Whether some fields alone need it, and the key does not. */
  #isNeeded(key: string): boolean {
    return this.#step.dependents.some(({ needs }) => needs.includes(key));
  }

  /**
   * @param typeName what the object is known to be at least
   * @param isTop whether these are fields of the entity itself
   */
  #select(
    object: DataObject,
    selections: readonly RequiredSelection[],
    typeName: string | undefined,
    isTop: boolean,
  ): WritableObject | Failure | undefined {
    const made = Object.create(null) as WritableObject; // a required field may be called __proto__
    let applies = false;
    for (const selection of selections) {
      const outcome =
        selection.kind === 'field'
          ? this.#field(object, selection, made, typeName, isTop)
          : this.#fragment(object, selection, made, typeName, isTop);
      if (outcome instanceof Failure) return outcome;
      applies ||= outcome === 'applied';
    }
    return applies ? made : undefined;
  }

  #fragment(
    object: DataObject,
    fragment: FragmentSelection,
    made: WritableObject,
    typeName: string | undefined,
    isTop: boolean,
  ): Outcome {
    const typename = object['__typename'];
    if (typename instanceof Failure) return typename;
    // Without a `__typename` only one type is possible.
    const { typeCondition } = fragment;
    if (typeCondition !== undefined && typeof typename === 'string') {
      if (!this.#types.isSubtype(typename, typeCondition)) return 'skipped';
    }
    const selected = this.#select(object, fragment.selections, typeName ?? typeCondition, isTop);
    if (selected instanceof Failure) return selected;
    if (selected === undefined) return 'skipped';
    mergeSelected(made, selected);
    return 'applied';
  }

  #field(
    object: DataObject,
    field: FieldSelection,
    made: WritableObject,
    typeName: string | undefined,
    isTop: boolean,
  ): Outcome {
    const value = own(object, field.key);
    const type = typeName === undefined ? undefined : this.#types.fieldType(typeName, field.name);
    const selected = this.#explained(this.#value(value, field, type), object, field);
    if (!(selected instanceof Failure)) {
      made[field.name] = selected;
      return 'applied';
    }
    if (!isTop || !this.#isNeeded(field.key)) return selected;
    this.missing.set(field.key, selected);
    return 'applied';
  }

  #explained(value: unknown, object: DataObject, { name }: FieldSelection): unknown {
    if (value !== ABSENCE || object[absent]) return value;
    return internalFailure(
      `A subgraph answered null for the field ${name}, which another subgraph requires.`,
    );
  }

  #value(value: unknown, field: FieldSelection, type: FieldType | undefined): unknown {
    if (value === undefined) return internalFailure(`A subgraph did not answer the field ${field.name}.`);
    if (value === null) return type?.nullable === false ? ABSENCE : null;
    if (value instanceof Failure) return value;
    if (Array.isArray(value)) {
      if (field.selections && type && !type.item) return wrongType(field);
      return this.#list(value, field, type?.item);
    }
    if (!field.selections) return value;
    if (!isDataObject(value)) return wrongType(field);
    return this.#select(value, field.selections, typenameOf(value) ?? type?.name, false) ?? {};
  }

  #list(values: readonly unknown[], field: FieldSelection, type: FieldType | undefined): unknown {
    const selected: unknown[] = [];
    for (const value of values) {
      const element = this.#value(value, field, type);
      if (element instanceof Failure) return element;
      selected.push(element);
    }
    return selected;
  }
}

function holdsValue(value: unknown): boolean {
  if (value === null) return false;
  if (Array.isArray(value)) return value.some(holdsValue);
  if (typeof value !== 'object') return true;
  return Object.entries(value as DataObject).some(([name, own]) => name !== '__typename' && holdsValue(own));
}

function typenameOf(object: DataObject): string | undefined {
  const typename = object['__typename'];
  return typeof typename === 'string' ? typename : undefined;
}

function wrongType({ name }: FieldSelection): Failure {
  return internalFailure(`A subgraph answered the field ${name} with a value of another type.`);
}

/** Fragments of one representation may select different parts of one nested object. */
function mergeSelected(made: WritableObject, selected: DataObject): void {
  for (const key of Object.keys(selected)) {
    const known = made[key];
    const value = selected[key];
    if (isDataObject(known) && isDataObject(value)) mergeSelected(known, value);
    else made[key] = value;
  }
}
