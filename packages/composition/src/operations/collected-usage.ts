import { z } from 'zod';

/** When an interval was. */
interface Window {
  readonly from: Date;
  readonly to: Date;
}

/** An interval as an OpenTelemetry collector has stored it. */
export interface CollectedInterval extends Window {
  readonly process: string;
  readonly isComplete: boolean;
  /** JSON: operations in the format of files. */
  readonly lines: readonly string[];
}

/** All that is in a collector's file. */
export interface CollectedUsage {
  readonly intervals: readonly CollectedInterval[];
  /** Whether no process has a gap between its intervals, and none ended without a word. */
  readonly isWhole: boolean;
}

interface LogRecord {
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string | undefined; readonly boolValue?: boolean | undefined };
  }[];
  readonly body?: { readonly stringValue?: string | undefined } | undefined;
}

/** What is read of a request of OTLP over HTTP, as the collector's file exporter writes one a line. */
const requestSchema = z.object({
  resourceLogs: z.array(
    z.object({
      scopeLogs: z.array(
        z.object({
          logRecords: z.array(
            z.object({
              attributes: z
                .array(
                  z.object({
                    key: z.string(),
                    value: z.object({
                      stringValue: z.string().optional(),
                      boolValue: z.boolean().optional(),
                    }),
                  }),
                )
                .default([]),
              body: z.object({ stringValue: z.string().optional() }).optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A process that has not said that it ended is taken for lost this many intervals after its last one. */
const MISSED_INTERVALS = 3;

/**
 * Reads what a collector has written of recorded usage; other logs are passed over. Records that came twice count once.
 *
 * @param lines each a request of OTLP in JSON
 * @returns the number of the first line that is none, from 1, or what they hold
 */
export function readCollectedUsage(
  lines: readonly string[],
  now: Date = new Date(),
): CollectedUsage | number {
  const reading = new CollectedReading();
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const request = requestSchema.safeParse(parseJson(line));
    if (!request.success) return index + 1;
    for (const { scopeLogs } of request.data.resourceLogs)
      for (const { logRecords } of scopeLogs) logRecords.forEach((record) => reading.add(record));
  }
  return reading.result(now);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

interface Begun {
  readonly process: string;
  readonly from: Date;
  readonly to: Date;
  isComplete: boolean | undefined;
  readonly lines: Set<string>;
}

class CollectedReading {
  readonly #intervals = new Map<string, Begun>();
  readonly #ended = new Set<string>();

  add({ attributes, body }: LogRecord): void {
    const values = new Map(attributes.map(({ key, value }) => [key, value]));
    const textOf = (name: string): string | undefined => values.get(`trellis.usage.${name}`)?.stringValue;
    const [process, from, to] = [textOf('process'), textOf('from'), textOf('to')];
    if (process === undefined) return;
    if (from === undefined || to === undefined) {
      this.#ended.add(process);
      return;
    }
    const interval = this.#intervalOf(process, from, to);
    const isComplete = values.get('trellis.usage.complete')?.boolValue;
    if (isComplete !== undefined) interval.isComplete = isComplete;
    else if (body?.stringValue !== undefined) interval.lines.add(body.stringValue);
  }

  /** An interval whose own record is missing is not complete. */
  result(now: Date): CollectedUsage {
    const intervals = [...this.#intervals.values()].map(({ isComplete = false, lines, ...rest }) => ({
      ...rest,
      isComplete,
      lines: [...lines],
    }));
    const processes = [...new Set(intervals.map(({ process }) => process))];
    const isWhole = processes.every((process) => {
      const own = intervals.filter((interval) => interval.process === process);
      return areAdjacent(own) && (this.#ended.has(process) || isRecording(own, now));
    });
    return { intervals, isWhole };
  }

  #intervalOf(process: string, from: string, to: string): Begun {
    const key = `${process} ${from}`;
    let interval = this.#intervals.get(key);
    if (!interval) {
      interval = {
        process,
        from: new Date(from),
        to: new Date(to),
        isComplete: undefined,
        lines: new Set<string>(),
      };
      this.#intervals.set(key, interval);
    }
    return interval;
  }
}

function areAdjacent(windows: readonly Window[]): boolean {
  const sorted = windows.toSorted((left, right) => left.from.getTime() - right.from.getTime());
  return sorted.every(({ from }, index) => {
    const before = sorted[index - 1];
    return before === undefined || before.to.getTime() === from.getTime();
  });
}

function isRecording(windows: readonly Window[], now: Date): boolean {
  const longestMs = Math.max(...windows.map(({ from, to }) => to.getTime() - from.getTime()));
  const lastMs = Math.max(...windows.map(({ to }) => to.getTime()));
  return now.getTime() - lastMs <= MISSED_INTERVALS * longestMs;
}
