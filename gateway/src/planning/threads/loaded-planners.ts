import { createSupergraphPlanner, type SupergraphPlanner } from './supergraph-planner.ts';

/**
 * The planners of a thread, one for each generation of the supergraph that it was given. The planner pool bounds them: it loads
 * what it holds, and unloads what was retired. They end with the thread.
 */
export class LoadedPlanners {
  readonly #byHash = new Map<string, SupergraphPlanner>();

  /** How many there are. */
  get size(): number {
    return this.#byHash.size;
  }

  /** Makes one; of equal supergraphs there is one. */
  load(hash: string, sdl: string): void {
    if (!this.#byHash.has(hash)) this.#byHash.set(hash, createSupergraphPlanner(sdl));
  }

  /** Drops one: no further job is about it. */
  unload(hash: string): void {
    this.#byHash.delete(hash);
  }

  /** @throws Error for one that was not loaded */
  of(hash: string): SupergraphPlanner {
    const planner = this.#byHash.get(hash);
    if (!planner) throw new Error(`The supergraph ${hash} was not loaded.`);
    return planner;
  }
}
