import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 100_000;
const PAUSE_MS = 20;

/** Waits for something that other processes bring about. Rejects when it does not come true in 100 s. */
export async function until(
  condition: () => Promise<boolean>,
  what: string = String(condition),
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`It did not come true within 100 s: ${what}.`);
    await pause(PAUSE_MS);
  }
}
