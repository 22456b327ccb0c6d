import { GraphQLError } from 'graphql';
import type { DeferredOccurrence } from './complete-data.ts';
import type { PendingPart } from './incremental-answer.ts';

/** An announced part and the place it adds to. */
export interface AnnouncedPart {
  readonly pending: PendingPart;
  readonly occurrence: DeferredOccurrence;
}

/** Parts of one answer: a fragment deferred in a list makes one for each element. */
const MAX_PARTS = 10_000;

/** Names the parts of one answer, and bounds how many there are. */
export class PartAnnouncer {
  #announced = 0;

  /** @throws GraphQLError RESPONSE_TOO_LARGE when there are more than 10,000 */
  announce(occurrences: readonly DeferredOccurrence[]): AnnouncedPart[] {
    if (this.#announced + occurrences.length > MAX_PARTS) throw tooManyParts();
    return occurrences.map((occurrence) => {
      const id = String(this.#announced++);
      const { shape, path } = occurrence;
      return { pending: { id, label: shape.defer.label, path }, occurrence };
    });
  }
}

function tooManyParts(): GraphQLError {
  return new GraphQLError(`The answer has more than ${MAX_PARTS} parts; defer less.`, {
    extensions: { code: 'RESPONSE_TOO_LARGE' },
  });
}
