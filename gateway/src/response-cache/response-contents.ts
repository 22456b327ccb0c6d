import { own } from '@trellis/runtime/own-property';
import type { ObjectShape, SelectionShape, ValueShape } from '../plan/response-shape.ts';
import type { Plan } from '../plan/plan.ts';
import type { EntityKeys } from '../supergraph/supergraph.ts';
import { type ExecutionResult, ResponseBody } from '../plan/response-body.ts';

/** What a response is made of: whatever becomes of it concerns the response. */
export interface ResponseContents {
  /** Every object type that can stand in a response to the operation, so that an empty list is known to be one of posts. */
  readonly types: readonly string[];
  /** Entities that the response names, as {@link entityName} writes them. */
  readonly entities: readonly string[];
  /** Types of objects in it that it does not name. */
  readonly unnamed: readonly string[];
  /** Types of objects that do not exist: one of them may come to be. */
  readonly absent: readonly string[];
}

/** More are taken together by their type. */
const MAX_ENTITIES = 1_000;

/** An entity by the value of its key, as subgraphs answer it. */
export function entityName(type: string, id: string): string {
  return `${type}:${id}`;
}

/** @param data a response to the plan's operation, by response keys */
export function contentsOf(plan: Plan, data: Readonly<Record<string, unknown>>): ResponseContents {
  const reader = new ContentsReader(plan.supergraph.entityKeys);
  reader.readObject(plan.shape, data);
  return { types: plan.shape.reachableTypes, ...reader.found() };
}

class ContentsReader {
  readonly #keys: EntityKeys;
  /** By type. */
  readonly #entities = new Map<string, Set<string>>();
  readonly #unnamed = new Set<string>();
  readonly #absent = new Set<string>();

  constructor(keys: EntityKeys) {
    this.#keys = keys;
  }

  found(): Omit<ResponseContents, 'types'> {
    const entities: string[] = [];
    for (const [type, ids] of this.#entities) {
      if (entities.length + ids.size > MAX_ENTITIES) this.#unnamed.add(type);
      else for (const id of ids) entities.push(entityName(type, id));
    }
    return { entities, unnamed: [...this.#unnamed], absent: [...this.#absent] };
  }

  readObject(selection: SelectionShape, value: object): void {
    const data = value as Readonly<Record<string, unknown>>; // read by own properties
    const shape = shapeOf(selection, data);
    if (!shape) {
      // Without a `__typename` it may be any of them, and so may be what is below.
      for (const type of selection.reachableTypes) this.#unnamed.add(type);
      return;
    }
    this.#note(shape, data);
    for (const field of shape.fields)
      if (field.kind === 'data') this.#readValue(field.value, own(data, field.responseKey));
  }

  #readValue(shape: ValueShape, value: unknown): void {
    if (shape.kind === 'leaf') return;
    if (value === null || value === undefined) return this.#readNothing(shape);
    if (shape.kind === 'object') {
      if (typeof value === 'object') this.readObject(shape.selection, value);
    } else if (Array.isArray(value)) for (const item of value) this.#readValue(shape.item, item);
  }

  #readNothing(shape: ValueShape): void {
    if (shape.kind === 'list') this.#readNothing(shape.item);
    else if (shape.kind === 'object')
      for (const type of shape.selection.possibleTypes()) this.#absent.add(type);
  }

  #note({ typeName, fields }: ObjectShape, data: Readonly<Record<string, unknown>>): void {
    const ids = (this.#keys.get(typeName) ?? []).map((name) => {
      const field = fields.find(({ kind, fieldName }) => kind === 'data' && fieldName === name);
      return field && own(data, field.responseKey);
    });
    const isNamed = ids.length > 0 && ids.every((id) => typeof id === 'string' || typeof id === 'number');
    if (!isNamed) return void this.#unnamed.add(typeName);
    let ofType = this.#entities.get(typeName);
    if (!ofType) this.#entities.set(typeName, (ofType = new Set()));
    for (const id of ids) ofType.add(String(id));
  }
}

function shapeOf(
  selection: SelectionShape,
  data: Readonly<Record<string, unknown>>,
): ObjectShape | undefined {
  const typename = selection.onlyType ?? runtimeType(selection, data);
  const shape = typename === undefined ? undefined : selection.of(typename);
  return shape?.isObject ? shape : undefined;
}

/** The `__typename` under whatever key the client asked for it. */
function runtimeType(selection: SelectionShape, data: Readonly<Record<string, unknown>>): string | undefined {
  return selection.possibleTypes().find((type) => {
    const field = selection.of(type)?.fields.find(({ kind }) => kind === 'typename');
    return field !== undefined && own(data, field.responseKey) === type;
  });
}

/** A response without errors, as it is cached. */
export interface CachedResponse {
  readonly dataText: string;
  /** Until when it may be stored, milliseconds since 1970. */
  readonly untilMs: number;
  readonly isPrivate: boolean;
  /** Of the changes that it was made after. */
  readonly position: string;
  readonly contents: ResponseContents;
}

/** As Redis holds it: what is known of it as one line of JSON, and the data as it is. */
export function writeCached({ dataText, ...about }: CachedResponse): string {
  return `${JSON.stringify(about)}\n${dataText}`;
}

/** @returns nothing where the text is none of {@link writeCached} */
export function readCached(text: string): CachedResponse | undefined {
  const end = text.indexOf('\n');
  try {
    const about = JSON.parse(text.slice(0, end)) as Omit<CachedResponse, 'dataText'>; // nothing else writes below its prefix
    return { ...about, dataText: text.slice(end + 1) };
  } catch {
    return undefined;
  }
}

/** The result of a cached response in the place of an execution: it counts no objects. */
export function resultOfCached(
  { dataText, untilMs, isPrivate }: CachedResponse,
  nowMs: number,
): ExecutionResult {
  const policy = { maxAgeS: (untilMs - nowMs) / 1_000, isPrivate };
  const caching = { policy, hasUndated: false };
  return ResponseBody.ofText(dataText, { objects: 0, caching, headers: undefined });
}
