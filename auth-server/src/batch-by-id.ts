/** Reads what belongs to ids, in one go. An id without a value is left out. */
export type ReadMany<Value> = (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

/** Most ids of one read. */
const LIMIT = 500;

/**
 * Reads for all who ask within one turn of the event loop at once: a round trip to a store costs a server more than what
 * it brings. Nothing is kept: who asks later gets what is there then.
 *
 * @returns the value of an id, or undefined; throws what the read throws
 */
export function batchById<Value>(readMany: ReadMany<Value>): (id: string) => Promise<Value | undefined> {
  let waiting:
    { readonly ids: Set<string>; readonly values: Promise<ReadonlyMap<string, Value>> } | undefined;
  const begin = (): NonNullable<typeof waiting> => {
    const ids = new Set<string>();
    const values = new Promise<void>((resolve) => {
      setImmediate(resolve);
    }).then(() => {
      if (waiting?.ids === ids) waiting = undefined;
      return readMany([...ids]);
    });
    return { ids, values };
  };
  return async (id) => {
    if (waiting === undefined || waiting.ids.size >= LIMIT) waiting = begin();
    waiting.ids.add(id);
    return (await waiting.values).get(id);
  };
}
