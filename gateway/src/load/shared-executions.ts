import type { Plan } from '../plan/plan.ts';
import type { ExecutionResult } from '../plan/response-body.ts';
import { untilAborted } from '../abort/deadline-signal.ts';

/**
 * Executes equal queries once. Those that share an execution have all arrived before it begins, so
 * that none gets data from before its own request: neither after a mutation of its caller, nor after a notification of a
 * change. While the same query is being executed, those that arrive gather for the next execution; where many repeat the same
 * query, it waits a moment for those that were just answered.
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
    const forming = group.coalesce();
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

/** A query waits for the same one at most so long: a slow subgraph delays no query that would be answered soon. */
const MAX_WAIT_MS = 10;
/** Where so many share an execution, the same query is asked again and again. */
const MANY = 8;
/** For so long, at most, the next execution waits for queries to be repeated. */
const REBATCH_WINDOW_MS = 10;

/** A time after an execution in which the next one does not begin. */
interface RebatchWindow {
  readonly over: Promise<void>;
  /** How many queries end it. */
  readonly expected: number;
  end(): void;
}

/** Equal queries: those that share an execution, and those that gather for the next one. */
class ExecutionGroup {
  #forming: Promise<ExecutionResult> | undefined;
  /** How many wait for the execution that forms. */
  #gathered = 0;
  /** Settles when the execution that began last is over; absent when it is. */
  #underWay: Promise<void> | undefined;
  #rebatchWindow: RebatchWindow | undefined;
  readonly #onIdle: () => void;

  /** @param onIdle called whenever nothing waits and nothing is executed */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  /** Adds a query to those that gather. @returns the execution that has not begun; absent where the query has to form it */
  coalesce(): Promise<ExecutionResult> | undefined {
    this.#gathered += 1;
    if (this.#rebatchWindow && this.#gathered >= this.#rebatchWindow.expected) this.#rebatchWindow.end();
    return this.#forming;
  }

  /**
   * Forms the next execution, for all queries that coalesce before it begins.
   *
   * @param gathering what the first query waits for
   */
  form(execute: () => Promise<ExecutionResult>, gathering: () => Promise<void>): Promise<ExecutionResult> {
    this.#forming = this.#mayBegin(gathering).then(() => this.#begin(execute));
    return this.#forming;
  }

  async #mayBegin(gathering: () => Promise<void>): Promise<void> {
    if (this.#underWay) await settledWithin(this.#underWay, MAX_WAIT_MS);
    else if (!this.#rebatchWindow) await gathering();
    if (!this.#underWay) await this.#rebatchWindow?.over;
  }

  #begin(execute: () => Promise<ExecutionResult>): Promise<ExecutionResult> {
    const shared = this.#gathered;
    this.#forming = undefined;
    this.#gathered = 0;
    const execution = execute();
    const over = (): void => {
      if (this.#underWay === underWay) this.#end(shared);
    };
    const underWay: Promise<void> = execution.then(over, over);
    this.#underWay = underWay;
    return execution;
  }

  /** Queries that were answered may come again: with those that wait they need one execution instead of two. */
  #end(shared: number): void {
    this.#underWay = undefined;
    if (shared >= MANY) this.#openRebatchWindow(shared + this.#gathered);
    else if (!this.#forming) this.#onIdle();
  }

  #openRebatchWindow(expected: number): void {
    let resolve: () => void = () => undefined;
    const over = new Promise<void>((settle) => (resolve = settle));
    const end = (): void => {
      clearTimeout(timer);
      this.#rebatchWindow = undefined;
      resolve();
      if (!this.#forming) this.#onIdle();
    };
    const timer = setTimeout(end, REBATCH_WINDOW_MS);
    this.#rebatchWindow = { over, expected, end };
  }
}

function settledWithin(settled: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void settled.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
