import type { OperationPlan } from '../planning/operation-plan.ts';
import type { ExecutionResult } from './execution-result.ts';
import { untilAborted } from './until-aborted.ts';

/** Queries that are the same in everything. */
interface Group {
  /** The execution that has not begun: who comes now may have its result too. */
  forming: Promise<ExecutionResult> | undefined;
  /** Settles when the execution that began last is over; absent when it is. */
  underWay: Promise<void> | undefined;
}

/** A query waits for the same one at most so long: a slow subgraph holds nobody up who would be answered soon. */
const MAX_WAIT_MS = 10;

/**
 * Executes queries that are the same in everything once. Those that share an execution have all arrived before it begins, so
 * that nobody gets data from before the own request: neither who has just changed something, nor who was just told of a
 * change. While the same query is being executed, those that arrive gather for the next execution.
 */
export class SharedExecutions {
  readonly #groups = new Map<OperationPlan, Map<string, Group>>();
  #turn: Promise<void> | undefined;

  /**
   * Executes a query, or waits for the execution of another one.
   *
   * @param context names everything that an answer depends on besides the plan: the variables, and all that subgraphs are told of the client
   * @param execute begins an execution. That of the first query is used; should its client leave, the others share another one
   * @throws what `execute` throws
   */
  async execute(
    plan: OperationPlan,
    context: string,
    signal: AbortSignal,
    execute: () => Promise<ExecutionResult>,
  ): Promise<ExecutionResult> {
    const group = this.#groupOf(plan, context);
    if (group.forming) {
      return untilAborted(group.forming, signal).catch(() =>
        signal.aborted ? execute() : this.execute(plan, context, signal, execute),
      );
    }
    const own = this.#mayBegin(group).then(() => begin(group, execute));
    group.forming = own;
    try {
      return await own;
    } finally {
      if (group.forming === undefined && group.underWay === undefined) this.#forget(plan, context, group);
    }
  }

  #groupOf(plan: OperationPlan, context: string): Group {
    let groups = this.#groups.get(plan);
    if (!groups) this.#groups.set(plan, (groups = new Map()));
    let group = groups.get(context);
    if (!group) groups.set(context, (group = { forming: undefined, underWay: undefined }));
    return group;
  }

  #forget(plan: OperationPlan, context: string, group: Group): void {
    const groups = this.#groups.get(plan);
    if (groups?.get(context) === group) groups.delete(context);
    if (groups?.size === 0) this.#groups.delete(plan);
  }

  #mayBegin({ underWay }: Group): Promise<void> {
    if (!underWay) return this.#endOfTurn();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, MAX_WAIT_MS);
      void underWay.then(() => {
        clearTimeout(timer);
        resolve();
      });
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

function begin(group: Group, execute: () => Promise<ExecutionResult>): Promise<ExecutionResult> {
  group.forming = undefined;
  const execution = execute();
  const over = (): void => {
    if (group.underWay === underWay) group.underWay = undefined;
  };
  const underWay: Promise<void> = execution.then(over, over);
  group.underWay = underWay;
  return execution;
}
