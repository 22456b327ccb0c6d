/** What sealed records say that are read again and again: opening one costs more than to see that it is the same. */
export interface OpenedRecords<Value> {
  /**
   * What a record says. Only for values that depend on nothing but their record, and that no one changes.
   *
   * @param key under which it was found
   * @param sealed as it was read from the store just now
   * @param open opens it; called unless this very text was opened for this key before
   */
  read(key: string, sealed: string, open: () => Value | undefined): Value | undefined;
  /** The same of a record that was sealed here just now: nothing has to open it. */
  remember(key: string, sealed: string, value: Value): void;
  /** Forgets a record that the store does not have any more. */
  forget(key: string): void;
}

/** Some 10 MB. */
const MAX_REMEMBERED = 5_000;

/**
 * Remembers the last text that opened or was sealed for each of so many keys, and what it says. The store is asked all the same: what has ended
 * there is not answered from memory. What does not open is not remembered.
 *
 * @param limit keys; the one that was remembered first is forgotten first
 */
export function createOpenedRecords<Value>(limit: number = MAX_REMEMBERED): OpenedRecords<Value> {
  const opened = new Map<string, { readonly sealed: string; readonly value: Value }>();
  const remember: OpenedRecords<Value>['remember'] = (key, sealed, value) => {
    const [oldest] = opened.size >= limit && !opened.has(key) ? opened.keys() : [];
    if (oldest !== undefined) opened.delete(oldest);
    opened.set(key, { sealed, value });
  };
  return {
    remember,
    read: (key, sealed, open) => {
      const known = opened.get(key);
      if (known?.sealed === sealed) return known.value;
      const value = open();
      if (value !== undefined) remember(key, sealed, value);
      return value;
    },
    forget: (key) => void opened.delete(key),
  };
}
