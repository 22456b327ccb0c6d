import { describe, expect, it } from 'vitest';
import { SustainedOverload } from './admission.ts';

const WINDOW_MS = 50;

/** Lets so many requests arrive, and so many be answered, in each of some windows, one after the other. */
function pass(
  overload: SustainedOverload,
  from: number,
  windows: number,
  arrivals: number,
  responses: number,
  isStrained = true,
): void {
  for (let window = from; window < from + windows; window += 1) {
    for (let count = 0; count < arrivals; count += 1) overload.arrived(window * WINDOW_MS, isStrained);
    for (let count = 0; count < responses; count += 1) overload.answered(window * WINDOW_MS);
  }
}

describe('F-20 sustained overload', () => {
  it('is high while more arrive than are answered for longer than a burst lasts, and low again afterwards', () => {
    const overload = new SustainedOverload();
    pass(overload, 1, 4, 30, 10);
    expect(overload.isSustained).toBe(false);
    pass(overload, 5, 11, 30, 10);
    expect(overload.isSustained).toBe(true);
    pass(overload, 16, 1, 10, 10);
    pass(overload, 17, 1, 30, 10);
    expect(overload.isSustained).toBe(true); // one quiet window ends nothing
    pass(overload, 18, 5, 10, 10);
    expect(overload.isSustained).toBe(false);
  });

  it('is low with any number of clients who ask again when they are answered', () => {
    const overload = new SustainedOverload();
    pass(overload, 1, 1, 500, 10); // all of them begin at once
    pass(overload, 2, 50, 10, 10);
    expect(overload.isSustained).toBe(false);
  });

  it('is low where requests pile up that wait for others than the process', () => {
    const overload = new SustainedOverload();
    pass(overload, 1, 50, 30, 10, false);
    expect(overload.isSustained).toBe(false);
  });

  it('is low after a time in which nothing happened', () => {
    const overload = new SustainedOverload();
    pass(overload, 1, 10, 30, 10);
    expect(overload.isSustained).toBe(true);
    pass(overload, 100, 1, 30, 10);
    expect(overload.isSustained).toBe(false);
  });

  it('reports once when it becomes high', () => {
    const overload = new SustainedOverload();
    const reports = Array.from({ length: 300 }, (_, index) => overload.arrived(WINDOW_MS + index * 5, true));
    expect(reports.filter(Boolean)).toHaveLength(1);
  });
});
