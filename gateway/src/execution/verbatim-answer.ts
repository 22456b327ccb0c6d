import type { OperationPlan } from '../plan/operation-plan.ts';
import { verbatimObjects } from './verbatim-check.ts';
import { verbatimShape, type VerbatimValue } from './verbatim-shape.ts';

/** Smaller answers are read and written in less time than it takes to notice. */
const MIN_BYTES = 16_384;
/** A subgraph that writes its answers otherwise so many times in a row will go on doing so. */
const MAX_REFUSALS = 3;

/** Says of the responses to one plan's only fetch whether they can be passed on as they are. */
export class VerbatimJudge {
  readonly #plan: OperationPlan;
  #shape: VerbatimValue | undefined;
  #isRead = false;
  #refusals = 0;

  constructor(plan: OperationPlan) {
    this.#plan = plan;
  }

  /** How many objects are in a response that can be the answer just as it came; nothing where it can't. */
  objectsIn(body: Buffer): number | undefined {
    if (body.length < MIN_BYTES || this.#refusals >= MAX_REFUSALS) return undefined;
    if (!this.#isRead) {
      this.#shape = verbatimShape(this.#plan);
      this.#isRead = true;
    }
    const objects = this.#shape && verbatimObjects(body, this.#shape);
    this.#refusals = objects === undefined ? this.#refusals + 1 : 0;
    return objects;
  }
}

const judges = new WeakMap<OperationPlan, VerbatimJudge>();

/** The judge of a plan that asks one subgraph once; nothing for other plans. */
export function verbatimJudgeOf(plan: OperationPlan): VerbatimJudge | undefined {
  if (plan.step?.kind !== 'fetch') return undefined;
  let judge = judges.get(plan);
  if (!judge) judges.set(plan, (judge = new VerbatimJudge(plan)));
  return judge;
}
