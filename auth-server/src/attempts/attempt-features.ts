import type { AssertionStore } from './assertion-store.ts';
import type { WriteRoom } from './write-room.ts';

/** What may happen once, or so often. */
export interface AttemptFeatures {
  readonly assertions: AssertionStore;
  /** Room in Redis for what anybody can have written. */
  readonly writeRoom: WriteRoom;
}
