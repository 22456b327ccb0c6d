import { ValueTrie } from '../value-trie.ts';
import type { Counter, Histogram, Registry } from 'prom-client';

/** What a metric is called. */
interface MetricNames<Names extends readonly string[]> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: Names;
}

/** A value of a series, as prom-client's registry takes it. */
interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * A metric of what happens with every request. prom-client's own work out which series is meant, and check its labels, with
 * each of them; these look for the series, and update prom-client's registry when it is scraped.
 */
abstract class TalliedMetric<Names extends readonly string[], Tally> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: Names;
  readonly aggregator = 'sum';
  abstract readonly type: 'counter' | 'histogram';
  protected readonly series: LabelTree<Names, Tally>;

  constructor({ name, help, labelNames }: MetricNames<Names>, begin: () => Tally) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    this.series = new LabelTree(labelNames, begin);
  }

  /** What the registry writes. */
  get(): Promise<unknown> {
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values: this.samples() });
  }

  reset(): void {
    this.series.clear();
  }

  protected abstract samples(): readonly Sample[];
}

/** A counter that it costs little to count with. Nothing is to be counted under labels that clients can choose. */
export class TalliedCounter<const Names extends readonly string[]> extends TalliedMetric<
  Names,
  { count: number }
> {
  readonly type = 'counter';

  constructor(names: MetricNames<Names>, registry: Registry) {
    super(names, () => ({ count: 0 }));
    registry.registerMetric(this as unknown as Counter); // it reads no more of a metric than there is
  }

  /** Counts one more. */
  count(...values: LabelValues<Names>): void {
    this.series.tallyOf(values).count += 1;
  }

  /** Counts so much more. @param amount not negative */
  add(amount: number, ...values: LabelValues<Names>): void {
    this.series.tallyOf(values).count += amount;
  }

  /** Forgets all series whose first label has this value. */
  remove(first: string): void {
    this.series.remove(first);
  }

  /** Forgets all series whose labels begin with these values. */
  removeUnder(first: readonly string[]): void {
    this.series.removeUnder(first);
  }

  protected samples(): readonly Sample[] {
    return this.series.all.map(({ labels, tally }) => ({ labels, value: tally.count }));
  }
}

interface Distribution {
  /** How many were in each bucket, and in none of those before. */
  readonly counts: Float64Array;
  count: number;
  sum: number;
}

/** A histogram that it costs little to observe with. Nothing is to be observed under labels that clients can choose. */
export class TalliedHistogram<const Names extends readonly string[]> extends TalliedMetric<
  Names,
  Distribution
> {
  readonly type = 'histogram';
  readonly #buckets: readonly number[];

  /** @param buckets the upper bound of each, which belongs to it, in ascending order */
  constructor(names: MetricNames<Names>, buckets: readonly number[], registry: Registry) {
    super(names, () => ({ counts: new Float64Array(buckets.length), count: 0, sum: 0 }));
    this.#buckets = buckets;
    registry.registerMetric(this as unknown as Histogram); // it reads no more of a metric than there is
  }

  /** Counts one more of this size. */
  observe(size: number, ...values: LabelValues<Names>): void {
    const tally = this.series.tallyOf(values);
    tally.count += 1;
    tally.sum += size;
    const bucket = this.#buckets.findIndex((upperBound) => size <= upperBound);
    if (bucket !== -1) tally.counts[bucket] = (tally.counts[bucket] ?? 0) + 1;
  }

  protected samples(): readonly Sample[] {
    return this.series.all.flatMap(({ labels, tally }) => this.#samplesOf(labels, tally));
  }

  #samplesOf(labels: Sample['labels'], { counts, count, sum }: Distribution): readonly Sample[] {
    const { name } = this;
    let atMost = 0;
    const buckets = this.#buckets.map((le, index) => {
      atMost += counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: atMost };
    });
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

/** One value for each label of a metric, in the order of their names. */
type LabelValues<Names extends readonly string[]> = { readonly [Index in keyof Names]: string };

/** What was counted under one combination of labels. */
interface Series<Tally> {
  readonly labels: Readonly<Record<string, string>>;
  readonly tally: Tally;
}

/** The series of a metric. To find one costs a look-up for each label, and makes nothing. */
class LabelTree<const Names extends readonly string[], Tally> {
  readonly #names: Names;
  readonly #begin: () => Tally;
  readonly #root = new ValueTrie<Series<Tally>>();
  #all: Series<Tally>[] = [];

  /** @param begin makes the tally of a series that did not exist */
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
    let at = this.#root;
    for (const value of values) at = at.at(value);
    return (at.leaf ??= this.#add(values)).tally;
  }

  /** Forgets all series. */
  clear(): void {
    this.#root.clear();
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
