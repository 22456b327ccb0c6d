import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 20;

/** Waits for something that other processes bring about. Rejects when it does not come true in a minute. */
export async function until(
  condition: () => Promise<boolean>,
  what: string = String(condition),
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`It did not come true within a minute: ${what}.`);
    await pause(PAUSE_MS);
  }
}
