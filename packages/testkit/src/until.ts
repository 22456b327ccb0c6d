import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 100_000;
const PAUSE_MS = 5;

/**
 * Waits for something that another process or task brings about.
 *
 * @param what for the message; by default the source of the condition
 * @throws Error when it does not come true within 100 s
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string = String(condition),
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`It did not come true within 100 s: ${what}`);
    await pause(PAUSE_MS);
  }
}
