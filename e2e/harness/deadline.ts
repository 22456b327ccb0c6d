import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for something, but not for ever.
 *
 * @param explain called at the deadline; makes the message of the rejection
 * @throws Error after `deadlineMs`
 */
export async function withDeadline<T>(
  wait: Promise<T>,
  deadlineMs: number,
  explain: () => string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(explain())), deadlineMs);
  });
  try {
    return await Promise.race([wait, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** For what is to come, however busy the machine is. */
const PATIENCE_MS = 100_000;

/**
 * Asks again and again until the response is accepted.
 *
 * @param deadlineMs defaults to 100 s, which is no verdict on how fast it is
 * @returns the accepted answer
 * @throws Error after `deadlineMs`, with the last response or failure
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  accept: (response: T) => boolean,
  deadlineMs: number = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const attempt = await settle(ask);
    if (attempt.answered && accept(attempt.response)) return attempt.response;
    if (Date.now() >= end) throw new Error(`Not so within ${deadlineMs} ms; last: ${describe(attempt)}`);
    await delay(100);
  }
}

type Attempt<T> =
  { readonly answered: true; readonly response: T } | { readonly answered: false; readonly error: unknown };

async function settle<T>(ask: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { answered: true, response: await ask() };
  } catch (error) {
    return { answered: false, error };
  }
}

function describe(attempt: Attempt<unknown>): string {
  return attempt.answered ? JSON.stringify(attempt.response) : String(attempt.error);
}
