import { setTimeout as delay } from 'node:timers/promises';
import type { Deployable } from '@trellis/runtime';
import { growingPauseMs } from '@trellis/runtime/growing-pause';

/** What {@link startLater} needs to know. */
export interface StartLaterOptions {
  /** For the lines that are printed. */
  readonly service: string;
  readonly start: () => Promise<Deployable>;
  /** Why it could not start the last time. */
  readonly failure: unknown;
  /** Prints a line for each failure and for the success. */
  readonly print: (line: string) => void;
  /** Milliseconds until the first attempt; doubled up to 5 s from one to the next. @default 500 */
  readonly firstPauseMs?: number;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Tries to start what could not be started, again and again until it serves. The reason is printed when it is another than the
 * time before.
 *
 * @returns what ends the attempts, and what they have started
 */
export function startLater(options: StartLaterOptions): Pick<Deployable, 'close'> {
  const stopping = new AbortController();
  const started = attempt(options, stopping.signal);
  return {
    close: async () => {
      stopping.abort();
      await (await started)?.close();
    },
  };
}

async function attempt(
  { service, start, failure, print, firstPauseMs = FIRST_PAUSE_MS }: StartLaterOptions,
  signal: AbortSignal,
): Promise<Deployable | undefined> {
  let printed = printFailure(service, failure, print);
  for (let failures = 0; !signal.aborted; failures += 1) {
    const pauseMs = growingPauseMs(failures, { firstMs: firstPauseMs, longestMs: LONGEST_PAUSE_MS });
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    try {
      const deployable = await start();
      print(`${service} serves now.`);
      return deployable;
    } catch (error) {
      if (messageOf(error) !== printed) printed = printFailure(service, error, print);
    }
  }
  return undefined;
}

function printFailure(service: string, error: unknown, print: (line: string) => void): string {
  const message = messageOf(error);
  print(`${service} could not be started, and is tried again: ${message}`);
  return message;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
