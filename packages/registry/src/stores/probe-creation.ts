import { RegistryError } from '../registry-error.ts';
import type { ObjectRequests } from './object-requests.ts';

const ROUNDS = 3;
const WRITERS = 8;

/**
 * Tries whether a store creates an object once: several write one name at once, in several rounds. A store that looks first and writes
 * then is found out most of the time, and one that ignores the condition always.
 *
 * @param place names of objects that are written and deleted again
 * @throws RegistryError STORE_UNSUITABLE; those of requests
 */
export async function probeCreation(
  requests: ObjectRequests,
  place: string,
  description: string,
  signal: AbortSignal,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = `${place}-${round}`;
    const writers = Array.from({ length: WRITERS }, (_, index) => `writer ${index}`);
    const creations = await Promise.all(
      writers.map((writer) => requests.create(key, Buffer.from(writer), signal)),
    );
    const winners = writers.filter((_, index) => creations[index] === 'created');
    const stored = await requests.read(key, 100, signal);
    await requests.remove(key, signal);
    // One that could not decide has created nothing: that is as good.
    const isOnce = winners.length === 1 || (winners.length === 0 && creations.includes('conflict'));
    if (!isOnce || (stored && Buffer.from(stored).toString('utf8')) !== winners[0])
      throw new RegistryError(
        'STORE_UNSUITABLE',
        `${description} let ${winners.length} of ${WRITERS} writers create one object: records would replace one another.`,
      );
  }
}
