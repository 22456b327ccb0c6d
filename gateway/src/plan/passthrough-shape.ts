import { isEnumType, type GraphQLLeafType } from 'graphql';
import type { FetchFields } from './fetch-fields.ts';
import type { FieldShape, SelectionShape, ValueShape } from './response-shape.ts';

/** What the bytes of a value must be. */
export type PassthroughValue =
  | { readonly kind: 'string' | 'int' | 'float' | 'boolean'; readonly nullable: boolean }
  | { readonly kind: 'enum'; readonly nullable: boolean; readonly names: ReadonlySet<string> }
  | { readonly kind: 'list'; readonly nullable: boolean; readonly item: PassthroughValue }
  | { readonly kind: 'object'; readonly nullable: boolean; readonly fields: readonly PassthroughField[] };

/** One member of an object. */
export interface PassthroughField {
  /** What stands before the value: `{"key":` or `,"key":`. */
  readonly start: Buffer;
  readonly value: PassthroughValue;
}

const MAX_FIELDS = 400;

/**
 * The shape of a response that a subgraph may have written just as the client is to get it: an operation of one fetch, whose fields
 * have the same keys for both, and whose types leave no choice.
 *
 * @param fetch the only one of the plan
 * @returns nothing when the plan is not of that kind
 */
export function passthroughShape(fetch: FetchFields, shape: SelectionShape): PassthroughValue | undefined {
  return isPlain(fetch) ? new ShapeReader().object(shape, false) : undefined;
}

function isPlain({ path, requires, outputRewrites }: FetchFields): boolean {
  return path.length === 0 && !requires && outputRewrites.length === 0;
}

class ShapeReader {
  #fields = 0;

  object(selection: SelectionShape, nullable: boolean): PassthroughValue | undefined {
    const { onlyType } = selection;
    const shape = onlyType === undefined ? undefined : selection.of(onlyType);
    if (!shape?.isObject || shape.fields.length === 0) return undefined;
    this.#fields += shape.fields.length;
    if (this.#fields > MAX_FIELDS) return undefined;
    const fields: PassthroughField[] = [];
    for (const [index, field] of shape.fields.entries()) {
      const value = this.#field(field);
      if (!value) return undefined;
      fields.push({ start: Buffer.from(`${index === 0 ? '{' : ','}"${field.responseKey}":`), value });
    }
    return { kind: 'object', nullable, fields };
  }

  #field({ kind, denial, responseKey, sourceKey, value }: FieldShape): PassthroughValue | undefined {
    return kind === 'data' && !denial && responseKey === sourceKey ? this.#value(value) : undefined;
  }

  #value(shape: ValueShape): PassthroughValue | undefined {
    const { nullable } = shape;
    switch (shape.kind) {
      case 'leaf':
        return leafOf(shape.type, nullable);
      case 'object':
        return this.object(shape.selection, nullable);
      case 'list': {
        const item = this.#value(shape.item);
        return item && { kind: 'list', nullable, item };
      }
      default:
        return shape satisfies never;
    }
  }
}

/** Values of custom scalars may be anything: no bytes are checked for them. */
function leafOf(type: GraphQLLeafType, nullable: boolean): PassthroughValue | undefined {
  if (isEnumType(type))
    return { kind: 'enum', nullable, names: new Set(type.getValues().map(({ name }) => name)) };
  switch (type.name) {
    case 'Int':
      return { kind: 'int', nullable };
    case 'Float':
      return { kind: 'float', nullable };
    case 'Boolean':
      return { kind: 'boolean', nullable };
    case 'String':
    case 'ID':
      return { kind: 'string', nullable };
    default:
      return undefined;
  }
}
