/** One value for each label of a metric, in the order of their names. */
export type LabelValues<Names extends readonly string[]> = { readonly [Index in keyof Names]: string };

/** What was counted under one combination of labels. */
export interface Series<Tally> {
  readonly labels: Readonly<Record<string, string>>;
  readonly tally: Tally;
}

/** The series of a metric. To find one costs a look-up for each label, and makes nothing. */
export class LabelTree<const Names extends readonly string[], Tally> {
  readonly #names: Names;
  readonly #begin: () => Tally;
  readonly #root = new Branch<Tally>();
  #all: Series<Tally>[] = [];

  /** @param begin makes the tally of a series that was not there */
  constructor(names: Names, begin: () => Tally) {
    this.#names = names;
    this.#begin = begin;
  }

  /** In the order in which they were begun. */
  get all(): readonly Series<Tally>[] {
    return this.#all;
  }

  /** The tally of one combination. */
  tallyOf(values: LabelValues<Names>): Tally {
    let branch = this.#root;
    for (const value of values) branch = branch.at(value);
    branch.series ??= this.#add(values);
    return branch.series.tally;
  }

  /** Forgets all series. */
  clear(): void {
    this.#root.cut();
    this.#all = [];
  }

  /** Forgets all series whose first label has this value. */
  remove(first: string): void {
    this.#root.cutAt(first);
    const [name = ''] = this.#names;
    this.#all = this.#all.filter(({ labels }) => labels[name] !== first);
  }

  /** Forgets all series whose labels begin with these values. */
  removeUnder(first: readonly string[]): void {
    this.#root.cutUnder(first);
    const begins = ({ labels }: Series<Tally>): boolean =>
      first.every((value, index) => labels[this.#names[index] ?? ''] === value);
    this.#all = this.#all.filter((series) => !begins(series));
  }

  #add(values: LabelValues<Names>): Series<Tally> {
    const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? '']));
    const series = { labels, tally: this.#begin() };
    this.#all.push(series);
    return series;
  }
}

/** Where the values of some labels lead to. */
class Branch<Tally> {
  readonly #next = new Map<string, Branch<Tally>>();
  /** Where these are all labels. */
  series: Series<Tally> | undefined;

  at(value: string): Branch<Tally> {
    let next = this.#next.get(value);
    if (!next) this.#next.set(value, (next = new Branch()));
    return next;
  }

  cutAt(value: string): void {
    this.#next.delete(value);
  }

  /** @returns whether nothing is left */
  cutUnder([first, ...rest]: readonly string[]): boolean {
    if (first === undefined) return true;
    if (this.#next.get(first)?.cutUnder(rest) ?? true) this.#next.delete(first);
    return this.#next.size === 0;
  }

  cut(): void {
    this.#next.clear();
    this.series = undefined;
  }
}
