import type { OperationPlan } from '../planning/operation-plan.ts';
import { ExecutionGroup } from './execution-group.ts';
import type { ExecutionResult } from './execution-result.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Executes queries that are the same in everything once. Those that share an execution have all arrived before it begins, so
 * that nobody gets data from before the own request: neither who has just changed something, nor who was just told of a
 * change. While the same query is being executed, those that arrive gather for the next execution; where many ask the same
 * again and again, it waits a moment for those who were just answered.
 */
export class SharedExecutions {
  readonly #groups = new Map<OperationPlan, Map<string, ExecutionGroup>>();
  #turn: Promise<void> | undefined;

  /** Plans of which queries are executed now, or were a moment ago. */
  get size(): number {
    return this.#groups.size;
  }

  /**
   * Executes a query, or waits for the execution of another one.
   *
   * @param context names everything that an answer depends on besides the plan: the variables, and all that subgraphs are told of the client
   * @param execute begins an execution. That of the first query is used; should its client leave, the others share another one
   * @throws what `execute` throws
   */
  execute(
    plan: OperationPlan,
    context: string,
    signal: AbortSignal,
    execute: () => Promise<ExecutionResult>,
  ): Promise<ExecutionResult> {
    const group = this.#groupOf(plan, context);
    const forming = group.join();
    if (!forming) return group.form(execute, () => this.#endOfTurn());
    return untilAborted(forming, signal).catch(() =>
      signal.aborted ? execute() : this.execute(plan, context, signal, execute),
    );
  }

  #groupOf(plan: OperationPlan, context: string): ExecutionGroup {
    let groups = this.#groups.get(plan);
    if (!groups) this.#groups.set(plan, (groups = new Map()));
    let group = groups.get(context);
    if (!group) groups.set(context, (group = new ExecutionGroup(() => this.#forget(plan, context))));
    return group;
  }

  #forget(plan: OperationPlan, context: string): void {
    const groups = this.#groups.get(plan);
    groups?.delete(context);
    if (groups?.size === 0) this.#groups.delete(plan);
  }

  /** When all requests have been read that have arrived by now. */
  #endOfTurn(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = undefined;
        resolve();
      });
    });
    return this.#turn;
  }
}
