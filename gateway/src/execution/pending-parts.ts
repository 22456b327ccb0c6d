import { GraphQLError } from 'graphql';
import type { DeferredOccurrence, StreamedOccurrence } from './completed.ts';
import type { PendingPart } from './incremental-result.ts';
import type { Branch, StreamedList } from './stream-rounds.ts';

/** A pending part and the place it adds to. */
export interface DeferredPart {
  readonly pending: PendingPart;
  readonly occurrence: DeferredOccurrence;
  /** The run that fetches for it. */
  readonly branch: Branch;
}

/** Parts of one response: a fragment deferred in a list makes one for each element. */
const MAX_PARTS = 10_000;

/** Names the parts of one response, and bounds how many there are. */
export class PendingParts {
  #count = 0;

  /** @throws GraphQLError RESPONSE_TOO_LARGE when there are more than 10,000 */
  add(occurrences: readonly DeferredOccurrence[], branch: Branch): DeferredPart[] {
    return occurrences.map((occurrence) => {
      const { shape, path } = occurrence;
      return { pending: { id: this.#nextId(), label: shape.defer.label, path }, occurrence, branch };
    });
  }

  /** As {@link add}, for lists. */
  addLists(occurrences: readonly StreamedOccurrence[]): StreamedList[] {
    return occurrences.map((occurrence) => {
      const { stream, path, delivered } = occurrence;
      const pending = { id: this.#nextId(), label: stream.label, path, items: delivered };
      return { pending, occurrence, delivered };
    });
  }

  #nextId(): string {
    if (this.#count >= MAX_PARTS) throw tooManyParts();
    this.#count += 1;
    return String(this.#count - 1);
  }
}

function tooManyParts(): GraphQLError {
  return new GraphQLError(`The response has more than ${MAX_PARTS} parts; defer or stream less.`, {
    extensions: { code: 'RESPONSE_TOO_LARGE' },
  });
}
