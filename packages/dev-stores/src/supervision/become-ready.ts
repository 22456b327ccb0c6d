import { setTimeout as delay } from 'node:timers/promises';
import type { GuardedProcess } from './guarded-process.ts';

const PAUSE_MS = 10;

/**
 * Asks a process again and again whether it serves.
 *
 * @returns false when it ended instead, or does not serve at the deadline
 */
export async function becomesReady(
  server: GuardedProcess,
  isReady: () => boolean | Promise<boolean>,
  deadlineMs: number,
): Promise<boolean> {
  const state = { ended: false };
  void server.exited.then(() => {
    state.ended = true;
  });
  const deadline = Date.now() + deadlineMs;
  while (!state.ended && Date.now() < deadline) {
    if (await isReady()) return !state.ended;
    await delay(PAUSE_MS);
  }
  return false;
}
