/** Reads what belongs to ids, in one go. An id without a value is left out. */
export type ReadMany<Value> = (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>;

/** Most ids of one read. */
const LIMIT = 500;
/** Milliseconds for which a read waits for the one before it. */
const PATIENCE_MS = 5;

interface Batch<Value> {
  readonly ids: Set<string>;
  readonly values: Promise<ReadonlyMap<string, Value>>;
  readonly start: () => void;
}

/**
 * Reads for all who ask within one turn of the event loop at once, and for all who ask while a read is under way after it: a
 * round trip to a store costs a server more than what it brings. Nothing is stored: what is answered was read after it was asked.
 *
 * @returns the value of an id, or undefined; throws what the read throws
 */
export function batchById<Value>(readMany: ReadMany<Value>): (id: string) => Promise<Value | undefined> {
  let waiting: Batch<Value> | undefined;
  let underWay = 0;
  const read = async (ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Value>> => {
    if (waiting?.ids === ids) waiting = undefined;
    underWay += 1;
    try {
      return await readMany([...ids]);
    } finally {
      underWay -= 1;
      if (underWay === 0) waiting?.start();
    }
  };
  const begin = (): Batch<Value> => {
    const ids = new Set<string>();
    const { promise: started, resolve: start } = withResolver();
    setImmediate(() => {
      if (underWay === 0) start();
      else setTimeout(start, PATIENCE_MS); // the one under way may never end
    });
    return { ids, start, values: started.then(() => read(ids)) };
  };
  return (id) => {
    const batch = (waiting ??= begin());
    batch.ids.add(id);
    if (batch.ids.size === LIMIT) {
      waiting = undefined;
      batch.start();
    }
    return batch.values.then((values) => values.get(id));
  };
}

function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
