import type { FiledTitle } from './list-titles.ts';

/** What became of titles that a checkout no longer has. */
export interface TitleRecord {
  /** Of each title the one that says the same today. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Titles of what the product no longer does, or what another kind of test shows. */
  readonly gone: readonly { readonly reason: string; readonly titles: readonly string[] }[];
}

/** A title of before that is missing, without a reason. */
export interface UnexplainedTitle {
  readonly title: FiledTitle;
  /** The test of today that is most like it, where one is. */
  readonly nearest: FiledTitle | undefined;
}

/** How two lists of titles differ. */
export interface TitleComparison {
  readonly before: number;
  readonly after: number;
  readonly renamed: number;
  readonly gone: number;
  readonly unexplained: readonly UnexplainedTitle[];
}

/** Looks for each title of before in the ones of today, or for a reason in the record. Files do not count: tests may move. */
export function compareTitles(
  before: readonly FiledTitle[],
  after: readonly FiledTitle[],
  record: TitleRecord,
): TitleComparison {
  const missing = findMissing(before, after);
  const today = new Set(after.map(({ title }) => title));
  const gone = new Set(record.gone.flatMap(({ titles }) => titles));
  const renamed = new Map(Object.entries(record.renamed));
  const isRenamed = ({ title }: FiledTitle): boolean => {
    const name = latestName(title, renamed, today);
    return name !== title && today.has(name);
  };
  const left = missing.filter((title) => !isRenamed(title));
  const unexplained = left.filter(({ title }) => !gone.has(latestName(title, renamed, today)));
  return {
    before: before.length,
    after: after.length,
    renamed: missing.length - left.length,
    gone: left.length - unexplained.length,
    unexplained: unexplained.map((title) => ({ title, nearest: findNearest(title, after) })),
  };
}

/** Of two tests with one title, one may be missing. */
function findMissing(before: readonly FiledTitle[], after: readonly FiledTitle[]): readonly FiledTitle[] {
  const counts = new Map<string, number>();
  for (const { title } of after) counts.set(title, (counts.get(title) ?? 0) + 1);
  return before.filter(({ title }) => {
    const count = counts.get(title) ?? 0;
    counts.set(title, count - 1);
    return count <= 0;
  });
}

/** A title may have been renamed more than once. */
function latestName(title: string, renamed: ReadonlyMap<string, string>, today: ReadonlySet<string>): string {
  const passed = new Set<string>();
  let name = title;
  for (;;) {
    const next = renamed.get(name);
    const isLatest = name !== title && today.has(name);
    if (isLatest || next === undefined || passed.has(next)) return name;
    passed.add(next);
    name = next;
  }
}

/** Half of the words at least must be the same. */
const LIKE_ENOUGH = 0.5;

function findNearest(title: FiledTitle, others: readonly FiledTitle[]): FiledTitle | undefined {
  const words = wordsOf(title);
  let nearest: FiledTitle | undefined;
  let best = LIKE_ENOUGH;
  for (const other of others) {
    const likeness = compareWords(words, wordsOf(other));
    if (likeness < best) continue;
    best = likeness;
    nearest = other;
  }
  return nearest;
}

function wordsOf({ title, body }: FiledTitle): ReadonlySet<string> {
  return new Set(`${title} ${body}`.toLowerCase().match(/[a-z\d]+/g));
}

/** From 0 to 1: the share of words that both have. */
function compareWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const word of one) if (other.has(word)) both++;
  return both / (one.size + other.size - both || 1);
}
