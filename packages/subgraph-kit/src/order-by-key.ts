/**
 * Puts the rows that a batch read back into the order in which they were asked for, as a DataLoader needs them.
 *
 * @returns for each key its row, or null where there is none
 */
export function orderByKey<Key, Row>(
  keys: readonly Key[],
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): (Row | null)[] {
  const rowsByKey = new Map(rows.map((row) => [keyOf(row), row]));
  return keys.map((key) => rowsByKey.get(key) ?? null);
}

/**
 * Groups the rows that a batch read by the position of the question they answer.
 *
 * @param count how many questions there were
 * @param positionOf from 0
 * @returns for each question its rows, in the order in which they came
 */
export function groupByPosition<Row>(
  count: number,
  rows: readonly Row[],
  positionOf: (row: Row) => number,
): Row[][] {
  const groups = Array.from({ length: count }, (): Row[] => []);
  for (const row of rows) groups[positionOf(row)]?.push(row);
  return groups;
}
