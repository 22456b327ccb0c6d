/**
 * Some things that were found at several places of an operation, without copying what was found below: the selections of a
 * fragment are the same object wherever it is spread, and are looked at once. Undefined where nothing was found.
 */
export type Gathered<Item> =
  | { readonly item: Item; readonly parts?: undefined }
  | { readonly parts: readonly Gathered<Item>[] }
  | undefined;

/** All of some. */
export function gather<Item>(parts: readonly Gathered<Item>[]): Gathered<Item> {
  let first: Gathered<Item>;
  for (const part of parts) {
    if (part && first) return { parts: parts.filter((other) => other !== undefined) };
    first ??= part;
  }
  return first;
}

/** What was gathered, in the order of the text, what is shared where it stands first. */
export function itemsOf<Item>(gathered: Gathered<Item>): readonly Item[] {
  if (!gathered) return NOTHING;
  const items: Item[] = [];
  const seen = new Set<Gathered<Item>>();
  const read = (some: Gathered<Item>): void => {
    if (!some || seen.has(some)) return;
    seen.add(some);
    if (some.parts) for (const part of some.parts) read(part);
    else items.push(some.item);
  };
  read(gathered);
  return items;
}

const NOTHING: readonly never[] = Object.freeze([]);
