/** One series of the Prometheus text format. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads `GET /metrics` of an operations port. */
export async function readMetrics(operations: string): Promise<readonly Series[]> {
  const response = await fetch(`${operations}/metrics`, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${operations}/metrics answers ${response.status}`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map(parseSeries);
}

/** The sum of a metric's series that carry the given labels. */
export function sumOf(
  series: readonly Series[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return series
    .filter((one) => one.name === name)
    .filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

function parseSeries(line: string): Series {
  const match = /^(?<name>[\w:]+)(?:\{(?<labels>.*)\})? (?<value>\S+)/.exec(line);
  if (!match?.groups) throw new Error(`Not a series of the Prometheus text format: ${line}`);
  const labels = [...(match.groups['labels'] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return {
    name: match.groups['name'] ?? '',
    labels: Object.fromEntries(labels.map(([, label = '', value = '']) => [label, value])),
    value: Number(match.groups['value']),
  };
}
