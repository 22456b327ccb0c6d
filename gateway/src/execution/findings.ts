import type { GraphQLError } from 'graphql';
import type { DeferredOccurrence, StreamedOccurrence } from './completed.ts';
import type { FieldShape, SelectionShape } from '../plan/response-shape.ts';
import { reportReason, type FailureReason } from './failure.ts';
import { clientPath, pathOf, type Path } from './response-path.ts';

/** Errors of one response beyond this many are not reported one by one: their nulls stand. */
export const MAX_ERRORS = 500;

/** A value to be completed: where it stands, and what field it is of. */
export interface Place {
  readonly field: FieldShape;
  readonly path: Path | undefined;
}

/** How much there was of each kind. */
export interface Mark {
  readonly errors: number;
  readonly deferred: number;
  readonly streamed: number;
}

/** What a completion finds beside the values: errors, and which of them made the value null that propagates now; what comes later. */
export class Findings {
  readonly errors: GraphQLError[] = [];
  readonly deferred: DeferredOccurrence[] = [];
  readonly streamed: StreamedOccurrence[] = [];
  /** Of which error of a subgraph each error is, if of any. */
  readonly #origins: (object | undefined)[] = [];
  #causesFrom = 0;
  #isSecondary = false;

  get origins(): ReadonlySet<object> {
    return new Set(this.#origins.filter((origin) => origin !== undefined));
  }

  /** Where the errors begin that made the value null which now propagates. */
  get causesFrom(): number {
    return this.#causesFrom;
  }

  /** Whether something else is to blame for that null, and worth looking for. */
  get isSecondary(): boolean {
    return this.#isSecondary;
  }

  /** Reports why the value at a place is missing. @param below what is asked of the value, for the paths of errors inside it */
  report(place: Place, reasons: readonly FailureReason[], below: SelectionShape | undefined): void {
    this.#causesFrom = this.errors.length;
    this.#isSecondary = reasons.every(({ isSecondary }) => isSecondary);
    for (const reason of reasons) {
      if (this.errors.length >= MAX_ERRORS) return;
      const path = [...pathOf(place.path), ...clientPath(reason.below, below)];
      this.#origins.push(reason.origin);
      this.errors.push(reportReason(reason, { nodes: place.field.nodes, path }));
    }
  }

  /** Nothing else was to blame: the errors from here on say what there is to say. */
  blame(errorsFrom: number): void {
    this.#causesFrom = errorsFrom;
    this.#isSecondary = true;
  }

  mark(): Mark {
    const { errors, deferred, streamed } = this;
    return { errors: errors.length, deferred: deferred.length, streamed: streamed.length };
  }

  /** Drops what is inside a value that became null: it is not the client's concern, but for the error that made it so. */
  dropInside(before: Mark): void {
    const count = Math.max(0, this.#causesFrom - before.errors);
    this.errors.splice(before.errors, count);
    this.#origins.splice(before.errors, count);
    this.#causesFrom = before.errors;
    this.deferred.length = before.deferred;
    this.streamed.length = before.streamed;
  }
}
