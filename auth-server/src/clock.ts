/** The current time in milliseconds since 1970. */
export type Clock = () => number;

/** Seconds since 1970, as tokens and records count. */
export function nowS({ clock }: { readonly clock: Clock }): number {
  return Math.floor(clock() / 1000);
}

/** Gives the clock. */
export interface HasClock {
  readonly clock: Clock;
}
