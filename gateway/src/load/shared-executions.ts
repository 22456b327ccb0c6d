import type { Plan } from '../plan/plan.ts';
import { ExecutionGroup } from './execution-group.ts';
import type { ExecutionResult } from '../plan/execution-result.ts';
import { untilAborted } from '../abort/when-aborted.ts';

/**
 * Executes queries that are the same in everything once. Those that share an execution have all arrived before it begins, so
 * that no one gets data from before the own request: neither a caller that has just changed something, nor one that was just notified of a
 * change. While the same query is being executed, those that arrive gather for the next execution; where many ask the same
 * again and again, it waits a moment for those who were just answered.
 */
export class SharedExecutions {
  readonly #groups = new WeakMap<Plan, Map<string, ExecutionGroup>>();
  #size = 0;
  #turn: Promise<void> | undefined;

  /** Queries that are executed now, or were a moment ago. */
  get size(): number {
    return this.#size;
  }

  /**
   * Executes a query, or waits for the execution of another one.
   *
   * @param context names everything that a response depends on besides the plan: the variables, and all client data for subgraphs
   * @param execute begins an execution. That of the first query is used; should its client leave, the others share another one
   * @throws what `execute` throws
   */
  execute(
    plan: Plan,
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

  #groupOf(plan: Plan, context: string): ExecutionGroup {
    let groups = this.#groups.get(plan);
    if (!groups) this.#groups.set(plan, (groups = new Map()));
    let group = groups.get(context);
    if (!group) groups.set(context, (group = this.#newGroup(groups, context)));
    return group;
  }

  #newGroup(groups: Map<string, ExecutionGroup>, context: string): ExecutionGroup {
    this.#size += 1;
    return new ExecutionGroup(() => {
      if (groups.delete(context)) this.#size -= 1;
    });
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
