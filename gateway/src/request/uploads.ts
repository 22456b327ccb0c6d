import type { ArrivingFiles } from '@trellis/subgraph-protocol/uploads';

/** Stands for a file in the variables of a request. In JSON it is null, as the multipart request specification says. */
export class FilePlaceholder {
  /** The name of its part. */
  readonly key: string;

  constructor(key: string) {
    this.key = key;
  }

  toJSON(): null {
    return null;
  }
}

/** The files of a request while they arrive, one behind the other. None of them is held. */
export type Uploads = Pick<ArrivingFiles, 'keys' | 'drop' | 'take' | 'onFailure'>;

/** Where files stand in a value, in the order of its members. */
export function* filesIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): Iterable<{ readonly file: FilePlaceholder; readonly path: readonly (string | number)[] }> {
  if (value instanceof FilePlaceholder) yield { file: value, path };
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* filesIn(item, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) yield* filesIn(member, [...path, name]);
}
