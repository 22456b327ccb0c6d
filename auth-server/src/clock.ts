/** Tells the time: milliseconds since 1970. */
export type Clock = () => number;

/** Seconds since 1970, as tokens and records count. */
export function nowS({ clock }: { readonly clock: Clock }): number {
  return Math.floor(clock() / 1000);
}

/** What tells the time. */
export interface HasClock {
  readonly clock: Clock;
}
