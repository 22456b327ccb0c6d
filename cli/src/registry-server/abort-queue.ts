import { formatLogName, RegistryError, type LogName } from '@trellis/registry';
import type { CommandOutcome } from '../publish/command-outcome.ts';
import { registryLimits } from './registry-limits.ts';

const MAX_WAITING: number = registryLimits.waitingAborts.amount;

type Abort = () => Promise<CommandOutcome>;

/**
 * Aborts of canaries: those of a log one after the other, beside the changes that compose. Gateways stop a canary at the same time, so
 * equal aborts are made once.
 */
export class AbortQueue {
  /** By log, the aborts that are made or wait, in their order. */
  readonly #logs = new Map<string, Map<string, Promise<CommandOutcome>>>();

  /**
   * Makes an abort when it is its turn, or says what came of an equal one.
   *
   * @param key of the canary: aborts with the same one are equal
   * @throws RegistryError STORE_UNAVAILABLE where too many wait; what the abort throws
   */
  async run(log: LogName, key: string, abort: Abort): Promise<CommandOutcome> {
    const name = formatLogName(log);
    const aborts = this.#logs.get(name) ?? new Map<string, Promise<CommandOutcome>>();
    const equal = aborts.get(key);
    if (equal) return withEqual(equal, () => this.run(log, key, abort));
    // The first does not wait.
    if (aborts.size > MAX_WAITING)
      throw new RegistryError('STORE_UNAVAILABLE', `Too many aborts of ${name} wait. Try again later.`);
    const done = afterAll([...aborts.values()].at(-1), abort).finally(() => {
      aborts.delete(key);
      if (aborts.size === 0) this.#logs.delete(name);
    });
    this.#logs.set(name, aborts.set(key, done));
    return done;
  }
}

async function afterAll(before: Promise<unknown> | undefined, abort: Abort): Promise<CommandOutcome> {
  await before?.catch(() => undefined);
  return abort();
}

/** The canary has ended: there is nothing left to change. Who had no right to that ends it for no one else. */
async function withEqual(equal: Promise<CommandOutcome>, again: Abort): Promise<CommandOutcome> {
  try {
    const { document, ...done } = await equal;
    return { ...done, document: { ...document, outcome: 'unchanged' } };
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'NO_RIGHT') return again();
    throw error;
  }
}
