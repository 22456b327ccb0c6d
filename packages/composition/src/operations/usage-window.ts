/** A time of which recorded operations are wanted. */
export interface UsageWindow {
  /** Intervals that ended by then are left out. @default the beginning */
  readonly from?: Date | undefined;
  /** Intervals that began then or later are left out. @default the end */
  readonly to?: Date | undefined;
}

/** Whether an interval is in a window, be it with a part of it. What does not say when it was is in every window. */
export function isWithin({ from, to }: UsageWindow, window: UsageWindow): boolean {
  const isOver = to !== undefined && window.from !== undefined && to <= window.from;
  const isLater = from !== undefined && window.to !== undefined && from >= window.to;
  return !isOver && !isLater;
}
