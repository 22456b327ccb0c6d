import type { OperationPlan } from '../planning/operation-plan.ts';
import type { ExecutionResult } from './execution-result.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Executes queries that are the same in everything once. Those that share an execution have all arrived before it begins,
 * in the same turn of the event loop, so that nobody gets data from before the own request: neither who has just
 * changed something, nor who was just told of a change.
 */
export class SharedExecutions {
  #forming = new Map<OperationPlan, Map<string, Promise<ExecutionResult>>>();
  #turn: Promise<void> | undefined;

  /**
   * Executes a query, or waits for the execution of another one.
   *
   * @param context names everything that an answer depends on besides the plan: the variables, and all that subgraphs are told of the client
   * @param execute begins an execution. That of the first query is used; should its client leave, the others execute their own
   * @throws what `execute` throws
   */
  async execute(
    plan: OperationPlan,
    context: string,
    signal: AbortSignal,
    execute: () => Promise<ExecutionResult>,
  ): Promise<ExecutionResult> {
    let byContext = this.#forming.get(plan);
    if (!byContext) this.#forming.set(plan, (byContext = new Map()));
    const others = byContext.get(context);
    if (others) return untilAborted(others, signal).catch(() => execute());
    const own = this.#endOfTurn().then(execute);
    byContext.set(context, own);
    return own;
  }

  /** When all requests have been read that have arrived by now. */
  #endOfTurn(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = undefined;
        this.#forming = new Map();
        resolve();
      });
    });
    return this.#turn;
  }
}
