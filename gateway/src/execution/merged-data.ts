import type { FetchStep, TargetOrigins } from '../plan/plan.ts';
import type { LeftOutField } from '../plan/prune-fetch.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import { markAbsent, markDependents, markFailed, markLeftOut } from './mark-failed.ts';
import {
  targetsAt,
  targetsWithAncestors,
  applyRewrites,
  expectedKeys,
  isSameKind,
  mergeKey,
  originsWithin,
  placeErrors,
  replaceNulls,
  type Target,
} from './merge-values.ts';
import type { StreamedTargets } from './streamed-targets.ts';
import {
  ABSENCE,
  Failure,
  isDataObject,
  narrowed,
  withoutPath,
  type DataObject,
  type FailureReason,
  type WritableObject,
} from './failure.ts';
import { malformedEntity, readEntities, type GraphResponse } from './read-response.ts';
import { unitedTargetsAt } from './equal-objects.ts';

/** An error of a subgraph that made nothing null, and the fetch that it came with. */
interface UnplacedError {
  readonly step: FetchStep;
  readonly reason: FailureReason;
}

/**
 * What subgraphs sent in one run, merged into one tree by the keys of the plan. This is its only writer: every other reader may rely on
 * {@link DataObject} being read-only. Each write raises {@link version}; null never replaces a value, and of two values the later
 * wins; what is missing is a {@link Failure}. A key that was not asked for is not taken, and only own keys are read.
 */
export class MergedData {
  readonly root: DataObject;
  /** Where items of lists are not looked at yet. Absent where all are. */
  readonly #streamed: StreamedTargets | undefined;
  readonly #types: TypeIndex;
  readonly #origins: TargetOrigins;
  #version = 0;
  #failed = false;
  #unplaced: readonly UnplacedError[] = [];
  #errors: readonly FailureReason[] = [];
  /** Objects found at paths, while the data is of {@link #targetsVersion}. */
  #targets: Map<string, readonly DataObject[]> | undefined;
  #targetsVersion = -1;
  /** Objects found at paths whose origin is known. */
  #settledTargets: Map<string, readonly DataObject[]> | undefined;

  /**
   * @param origins where the objects of entity fetches come from, as far as that is known
   * @param streamed limits which objects fetches add to
   * @param root that of another run, whose data this one goes on with
   */
  constructor(
    types: TypeIndex,
    origins: TargetOrigins,
    streamed?: StreamedTargets,
    root: DataObject = Object.create(null) as DataObject,
  ) {
    this.root = root;
    this.#streamed = streamed;
    this.#types = types;
    this.#origins = origins;
  }

  /** Rises with each write. */
  get version(): number {
    return this.#version;
  }

  /** Whether anything is missing, or a subgraph reported an error: then the response takes the slow path. */
  get failed(): boolean {
    return this.#failed;
  }

  /** The objects that a fetch adds to. Fetches at one path look for them once, as long as no others can have come there. */
  targetsOf({ path, pathText }: FetchStep): readonly DataObject[] {
    const origin = this.#origins.get(pathText);
    const byPath = origin ? (this.#settledTargets ??= new Map()) : this.#currentTargets();
    let found = byPath.get(pathText);
    if (!found) {
      const keys = origin?.referenceKeys;
      if (keys) this.#version += 1;
      found = keys ? unitedTargetsAt(this.root, path, keys) : this.#targetsAt(path);
      byPath.set(pathText, found);
    }
    return found;
  }

  /** The objects that a fetch adds to, with those above them. */
  targetsWithAncestors({ path }: FetchStep): readonly Target[] {
    return this.#streamed
      ? this.#streamed.withAncestors(this.root, path)
      : targetsWithAncestors(this.root, path);
  }

  #targetsAt(path: readonly string[]): readonly DataObject[] {
    if (!this.#streamed) return targetsAt(this.root, path);
    return [...new Set(this.#streamed.withAncestors(this.root, path).map(({ object }) => object))];
  }

  /** Merges the response to a root fetch, or an event. */
  mergeRoot(step: FetchStep, response: GraphResponse | Failure): void {
    this.#version += 1;
    const { path } = step;
    const targets: readonly WritableObject[] = path.length === 0 ? [this.root] : this.#targetsAt(path);
    const data = response instanceof Failure ? response : this.#rootData(step, response);
    for (const target of targets)
      if (data instanceof Failure) this.#fail(step, target, data);
      else for (const { key, value } of this.#fieldsFor(step, target, data)) this.#merge(target, key, value);
  }

  /**
   * Merges the response to an entity fetch.
   *
   * @param targets the objects that each of its entities stands for
   * @returns the entities, when nothing was wrong with the response as a whole
   */
  mergeEntities(
    step: FetchStep,
    targets: readonly (readonly DataObject[])[],
    response: GraphResponse | Failure,
  ): readonly unknown[] | undefined {
    this.#version += 1;
    const entities = response instanceof Failure ? response : this.#entities(step, response, targets.length);
    for (const [index, objects] of targets.entries()) {
      const entity: unknown = entities instanceof Failure ? narrowed(entities, index) : entities[index];
      this.#mergeEntity(step, objects, entity);
    }
    const isWhole = !(response instanceof Failure) && response.errors.length === 0;
    return isWhole && !(entities instanceof Failure) ? entities : undefined;
  }

  /** Merges an entity that is known from another fetch of the same run. */
  mergeKnownEntity(step: FetchStep, objects: readonly DataObject[], entity: unknown): void {
    this.#version += 1;
    this.#mergeEntity(step, objects, entity);
  }

  /** Marks everything that a fetch was to bring to an object as failed; as null where there is no such entity. */
  fail(step: FetchStep, object: DataObject, failure: Failure): void {
    this.#version += 1;
    if (failure === ABSENCE) markAbsent(step, object);
    else this.#fail(step, object, failure);
  }

  /** Marks the fields that need what is missing as failed, for the reason that it is missing. */
  failDependents(
    step: FetchStep,
    objects: readonly DataObject[],
    missing: ReadonlyMap<string, Failure>,
  ): void {
    this.#version += 1;
    this.#failed = true;
    markDependents(step, objects, missing);
  }

  /** Marks fields below an entity as failed that were left out of a fetch. @param failures by the variable that they take */
  failLeftOut(
    entity: DataObject,
    leftOut: readonly LeftOutField[],
    failures: ReadonlyMap<string, Failure>,
  ): void {
    this.#version += 1;
    this.#failed = true;
    markLeftOut(entity, { leftOut, failures }, this.#types);
  }

  /** The errors of subgraphs that concern no field. Each is returned once. @param isOf chooses them by their fetch */
  takeUnplaced(isOf: (step: FetchStep) => boolean): readonly FailureReason[] {
    const taken = this.#unplaced.filter(({ step }) => isOf(step));
    if (taken.length === 0) return NO_ERRORS;
    const origins = new Set(taken.map(({ reason }) => reason.origin));
    this.#unplaced = this.#unplaced.filter((error) => !taken.includes(error));
    this.#errors = this.#errors.filter(({ origin }) => !origin || !origins.has(origin));
    return taken.map(({ reason }) => reason);
  }

  /** Errors of subgraphs that explain nothing, as of a field that another subgraph has sent. @param explaining those that do */
  unexplained(explaining: ReadonlySet<object>): readonly FailureReason[] {
    if (this.#errors.length === 0) return NO_ERRORS;
    const unplaced = new Set(this.#unplaced.map(({ reason }) => reason.origin));
    return this.#errors.filter(({ origin }) => origin && !explaining.has(origin) && !unplaced.has(origin));
  }

  /** The errors of subgraphs for which something is missing in the data, whether or not the client asked for it. */
  originsInPlace(): ReadonlySet<object> {
    return originsWithin(this.root);
  }

  #currentTargets(): Map<string, readonly DataObject[]> {
    if (!this.#targets || this.#targetsVersion !== this.#version) {
      this.#targets = new Map();
      this.#targetsVersion = this.#version;
    }
    return this.#targets;
  }

  #merge(target: DataObject, key: string, value: unknown): void {
    mergeKey(target, key, value, this.#types);
  }

  #rootData(step: FetchStep, { data, errors }: GraphResponse): WritableObject | Failure {
    this.#noteErrors(errors);
    if (!data) return new Failure(errors);
    if (errors.length > 0) this.#explain(step, data, placeErrors(data, errors, step.brings));
    applyRewrites(data, step.outputRewrites, this.#types);
    return data;
  }

  #entities(step: FetchStep, response: GraphResponse, count: number): unknown[] | Failure {
    const { errors } = response;
    this.#noteErrors(errors);
    const entities = readEntities(step.subgraph, response, count);
    if (entities instanceof Failure) return entities;
    if (errors.length > 0) this.#explain(step, entities, placeErrors(entities, errors, step.brings, 1));
    applyRewrites(entities, step.outputRewrites, this.#types);
    return entities;
  }

  #noteErrors(errors: readonly FailureReason[]): void {
    if (errors.length > 0) this.#errors = [...this.#errors, ...errors];
  }

  /** Errors without a usable path explain the nulls that nothing else explains; if there are none, they are reported as they are. */
  #explain(step: FetchStep, data: WritableObject | unknown[], unplaced: readonly FailureReason[]): void {
    this.#failed = true;
    if (unplaced.length === 0 || replaceNulls(data, new Failure(unplaced.map(withoutPath)))) return;
    this.#unplaced = [...this.#unplaced, ...unplaced.map((reason) => ({ step, reason }))];
  }

  #mergeEntity(step: FetchStep, objects: readonly DataObject[], entity: unknown): void {
    if (isDataObject(entity)) return this.#mergeFields(step, objects, entity);
    for (const object of objects) {
      if (entity === null) markAbsent(step, object);
      else if (entity instanceof Failure) this.#fail(step, object, entity);
      else this.#fail(step, object, malformedEntity(step.subgraph, 'an entity that is no object'));
    }
  }

  /** What an entity brings is looked up once for the objects that stand beside each other with one type: nearly always all. */
  #mergeFields(step: FetchStep, objects: readonly DataObject[], entity: DataObject): void {
    let typename: unknown;
    let fields: readonly Field[] | undefined;
    for (const object of objects) {
      const known = object['__typename'];
      if (known !== typename || !fields) {
        typename = known;
        fields = isSameKind(known, entity['__typename'], this.#types)
          ? this.#fieldsFor(step, object, entity)
          : undefined;
      }
      if (fields) for (const { key, value } of fields) this.#merge(object, key, value);
      else
        this.#fail(
          step,
          object,
          malformedEntity(step.subgraph, 'an entity of another type than it was asked for'),
        );
    }
  }

  /**
   * Only what was asked for is taken: a subgraph can't overwrite what others sent. The type of the target decides what was asked
   * for, so it is merged first.
   */
  #fieldsFor(step: FetchStep, target: DataObject, source: DataObject): readonly Field[] {
    const fields: Field[] = [];
    if (Object.hasOwn(source, '__typename')) {
      const value = source['__typename'];
      fields.push({ key: '__typename', value });
      this.#merge(target, '__typename', value);
    }
    for (const key of expectedKeys(step, target))
      if (Object.hasOwn(source, key)) fields.push({ key, value: source[key] });
    return fields;
  }

  #fail(step: FetchStep, object: WritableObject, failure: Failure): void {
    this.#failed = true;
    markFailed(step, object, failure);
  }
}

interface Field {
  readonly key: string;
  readonly value: unknown;
}

const NO_ERRORS: readonly FailureReason[] = [];
