import { FileProblems, printable } from '@trellis/composition';
import { BaseUnavailable } from '../supergraph/base-graph.ts';
import { printableFailure } from '../supergraph/named-file.ts';
import { ConfigError } from '@trellis/runtime';
import { OperationsProblem, operationsProblems } from '../recorded/operations-problem.ts';

/** Runs a command; what is wrong with files, databases and options is one sentence, under its code where it has one. */
export function attemptOperations<Options>(
  action: (options: Options) => Promise<void>,
): (options: Options) => Promise<void> {
  return async (options) => {
    try {
      await action(options);
    } catch (error) {
      const [message, status] = failureOf(error);
      process.stderr.write(`${printable(message)}\n`);
      process.exitCode = status;
    }
  };
}

function failureOf(error: unknown): readonly [message: string, status: number] {
  if (error instanceof OperationsProblem)
    return [`${error.code}: ${error.message}`, operationsProblems[error.code]];
  if (error instanceof BaseUnavailable) return [error.message, 69];
  if (error instanceof FileProblems || error instanceof ConfigError) return [error.message, 1];
  if (error instanceof Error && 'syscall' in error) return [printableFailure(error), 1];
  throw error;
}

/** A result as one line of JSON. */
export function jsonLine(result: object): string {
  return `${JSON.stringify(result)}\n`;
}

const DAY_MS = 86_400_000;

/**
 * A moment of a command line: `2026-11-23` or `2026-11-23T08:00:00Z`.
 *
 * @throws OperationsProblem INVALID_OPTION
 */
export function momentOf(option: string, text: string): Date {
  const moment = readMoment(text);
  if (moment) return moment;
  throw new OperationsProblem(
    'INVALID_OPTION',
    `${option} takes a day (2026-11-23) or a time (2026-11-23T08:00:00Z), not "${text}".`,
  );
}

/**
 * A moment of a command line that is past: as {@link momentOf}, or days ago: `30d`.
 *
 * @throws OperationsProblem INVALID_OPTION
 */
export function pastMomentOf(option: string, text: string, now: Date = new Date()): Date {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  const moment = days === undefined ? readMoment(text) : new Date(now.getTime() - Number(days) * DAY_MS);
  if (moment) return moment;
  throw new OperationsProblem(
    'INVALID_OPTION',
    `${option} takes a day (2026-11-23), a time (2026-11-23T08:00:00Z) or days ago (30d), not "${text}".`,
  );
}

/** Days that no month has, Date makes days of the next one. */
function readMoment(text: string): Date | undefined {
  const [, day = ''] =
    /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  const [moment, midnight] = [new Date(text), new Date(`${day}T00:00:00Z`)];
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
  return isDay && !Number.isNaN(moment.getTime()) ? moment : undefined;
}
