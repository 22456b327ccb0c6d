import type { QueueCaller } from '@trellis/admission';

/** Who waits at the execution gate. */
export interface GateCaller extends QueueCaller {
  /** Those of one lane count as one caller among the others; within it each has a share. Absent: the caller counts as such. */
  readonly lane?: string | undefined;
}

const EVENTS = 'events';

/**
 * Events of subscriptions and ticks of live queries have one lane: however many topics are busy, they take the turns of one
 * caller from those who wait for a response, and share them among themselves.
 */
export function eventLane(caller: QueueCaller | undefined): GateCaller {
  if (!caller) return { keys: [EVENTS], isKnown: false, lane: EVENTS };
  const [narrowest, ...wider] = caller.keys;
  return { keys: [narrowest, ...wider, EVENTS], isKnown: caller.isKnown, lane: EVENTS };
}

/** By what a caller counts as one among others. */
export function laneOf({ lane, keys }: GateCaller): string {
  return lane ?? keys[0];
}
