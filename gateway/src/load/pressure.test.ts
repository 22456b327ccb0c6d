import { describe, expect, it } from 'vitest';
import { Pressure } from './admission.ts';

const WINDOW_MS = 50;

/** Lets so many requests arrive, and so many be answered, in each of some windows, one after the other. */
function pass(
  pressure: Pressure,
  from: number,
  windows: number,
  arrivals: number,
  responses: number,
  isStrained = true,
): void {
  for (let window = from; window < from + windows; window += 1) {
    for (let count = 0; count < arrivals; count += 1) pressure.arrived(window * WINDOW_MS, isStrained);
    for (let count = 0; count < responses; count += 1) pressure.answered(window * WINDOW_MS);
  }
}

describe('F-20 pressure', () => {
  it('is high while more arrive than are answered for longer than a burst lasts, and low again afterwards', () => {
    const pressure = new Pressure();
    pass(pressure, 1, 4, 30, 10);
    expect(pressure.isHigh).toBe(false);
    pass(pressure, 5, 11, 30, 10);
    expect(pressure.isHigh).toBe(true);
    pass(pressure, 16, 1, 10, 10);
    pass(pressure, 17, 1, 30, 10);
    expect(pressure.isHigh).toBe(true); // one quiet window ends nothing
    pass(pressure, 18, 5, 10, 10);
    expect(pressure.isHigh).toBe(false);
  });

  it('is low with any number of clients who ask again when they are answered', () => {
    const pressure = new Pressure();
    pass(pressure, 1, 1, 500, 10); // all of them begin at once
    pass(pressure, 2, 50, 10, 10);
    expect(pressure.isHigh).toBe(false);
  });

  it('is low where requests pile up that wait for others than the process', () => {
    const pressure = new Pressure();
    pass(pressure, 1, 50, 30, 10, false);
    expect(pressure.isHigh).toBe(false);
  });

  it('is low after a time in which nothing happened', () => {
    const pressure = new Pressure();
    pass(pressure, 1, 10, 30, 10);
    expect(pressure.isHigh).toBe(true);
    pass(pressure, 100, 1, 30, 10);
    expect(pressure.isHigh).toBe(false);
  });

  it('reports once when it becomes high', () => {
    const pressure = new Pressure();
    const reports = Array.from({ length: 300 }, (_, index) => pressure.arrived(WINDOW_MS + index * 5, true));
    expect(reports.filter(Boolean)).toHaveLength(1);
  });
});
