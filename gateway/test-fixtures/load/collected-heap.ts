import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const ROUNDS = 3;

/** Bytes of live objects. Collects several times, with a turn between: finalizers let go of more. */
export async function collectedHeap(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // V8 defines it in every context made after the flag
  for (let round = 0; round < ROUNDS; round += 1) {
    collect();
    await sleep(50);
  }
  return process.memoryUsage().heapUsed;
}
