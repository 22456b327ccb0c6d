import type { Metrics } from '@trellis/runtime';

/** One value of a series. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Within how many seconds something was, or beyond how many; nothing where nothing was observed. */
export type Bound = { readonly seconds: number; readonly isBeyond: boolean } | undefined;

type Labels = Readonly<Record<string, string>>;

/** The metrics of this process at one moment. */
export class Samples {
  readonly #byName: ReadonlyMap<string, readonly Sample[]>;

  constructor(byName: ReadonlyMap<string, readonly Sample[]>) {
    this.#byName = byName;
  }

  /** The samples of a series; none where there is no such series. */
  of(name: string): readonly Sample[] {
    return this.#byName.get(name) ?? [];
  }

  /** The sum of those samples that have these labels. */
  sum(name: string, labels: Labels = {}): number {
    return this.#with(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  /** The values of a label, in the order of the alphabet. */
  values(name: string, label: string): readonly string[] {
    return [...new Set(this.of(name).flatMap(({ labels }) => labels[label] ?? []))].toSorted();
  }

  /** Within which bucket half of the observations of a histogram are, 95 of 100, and 99 of 100. */
  quantiles(
    name: string,
    labels: Labels,
  ): { readonly half: Bound; readonly most: Bound; readonly nearlyAll: Bound } {
    const buckets = new Map<number, number>();
    for (const { labels: found, value } of this.#with(`${name}_bucket`, labels)) {
      const bound = found['le'] === '+Inf' ? Infinity : Number(found['le']);
      buckets.set(bound, (buckets.get(bound) ?? 0) + value);
    }
    const ordered = [...buckets].toSorted(([a], [b]) => a - b);
    const all = ordered.at(-1)?.[1] ?? 0;
    const within = (share: number): Bound => {
      const bound = ordered.find(([, count]) => count >= share * all)?.[0];
      if (all === 0 || bound === undefined) return undefined;
      return bound === Infinity
        ? { seconds: ordered.at(-2)?.[0] ?? 0, isBeyond: true }
        : { seconds: bound, isBeyond: false };
    };
    return { half: within(0.5), most: within(0.95), nearlyAll: within(0.99) };
  }

  #with(name: string, labels: Labels): readonly Sample[] {
    const wanted = Object.entries(labels);
    return this.of(name).filter((sample) => wanted.every(([label, value]) => sample.labels[label] === value));
  }
}

/** Reads them from the text of the exposition format: that has the sums of all processes where there are several. */
export async function readSamples(metrics: Metrics): Promise<Samples> {
  const byName = new Map<string, Sample[]>();
  for (const line of (await metrics.metrics()).split('\n')) {
    const sample = parseLine(line);
    if (!sample) continue;
    const [name, read] = sample;
    byName.set(name, [...(byName.get(name) ?? []), read]);
  }
  return new Samples(byName);
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([^ ]+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** @see https://prometheus.io/docs/instrumenting/exposition_formats/ */
function parseLine(line: string): readonly [name: string, sample: Sample] | undefined {
  const [, name, labels = '', value = ''] = LINE.exec(line) ?? [];
  if (name === undefined) return undefined;
  const entries = [...labels.matchAll(LABEL)].map(
    ([, label = '', text = '']) => [label, unescape(text)] as const,
  );
  return [name, { labels: Object.fromEntries(entries), value: Number(value) }];
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, (_escape, character: string) => (character === 'n' ? '\n' : character));
}
