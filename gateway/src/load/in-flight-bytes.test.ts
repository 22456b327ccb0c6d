import { describe, expect, it } from 'vitest';
import { amountsOf, DEFAULT_SHARES, shareKeysOf } from '@trellis/runtime/admission';
import { InFlightBytes, type HeldBytes } from './in-flight-bytes.ts';

const TOTAL = 10_000_000;
const rules = { totalBytes: TOTAL, perCallerBytes: amountsOf(TOTAL, DEFAULT_SHARES.ofTotal) };

/** Sends so much over as many connections as it takes. @returns what is held of it */
function flood(bytes: InFlightBytes, address: string): readonly HeldBytes[] {
  const held: HeldBytes[] = [];
  for (let index = 0; index < 1_000; index += 1) {
    const connection = bytes.open(() => shareKeysOf({ address }));
    if (connection.hold(20_000) === undefined) held.push(connection);
  }
  return held;
}

describe('G7: what clients have sent', () => {
  it('is half of the bound at most for one address, and less as others send too, who find some left', () => {
    const bytes = new InFlightBytes(rules);
    flood(bytes, '192.0.2.1');
    expect(bytes.bytes).toBe(TOTAL / 2);
    for (let network = 1; network < 5; network += 1) flood(bytes, `198.51.${network}.1`);
    expect(bytes.bytes).toBeLessThanOrEqual(TOTAL);
    expect(bytes.open(() => shareKeysOf({ address: '203.0.113.1' })).hold(5_000)).toBeUndefined();
  });

  it('counts no longer than it is held, as whom it was held', () => {
    const bytes = new InFlightBytes(rules);
    let address = '192.0.2.1';
    const held = bytes.open(() => shareKeysOf({ address }));
    expect(held.hold(3_000_000)).toBeUndefined();
    expect(held.hold(6_000_000)).toBe('share');
    expect(bytes.bytes).toBe(3_000_000);
    address = '198.51.100.1';
    held.hold(1_000_000);
    held.release();
    held.release();
    expect(bytes.bytes).toBe(0);
    expect(flood(bytes, '192.0.2.1')).toHaveLength(250);
  });

  it('counts nothing of what comes when the client has gone', () => {
    const bytes = new InFlightBytes(rules);
    const held = bytes.open(() => shareKeysOf({ address: '192.0.2.1' }));
    expect(held.hold(3_000_000)).toBeUndefined();
    held.release();
    expect(held.hold(5_000_000)).toBeUndefined();
    expect(bytes.bytes).toBe(0);
  });

  it('is not counted where the number of connections bounds it', () => {
    const bytes = new InFlightBytes(rules);
    for (let index = 0; index < 1_000; index += 1)
      expect(bytes.open(() => shareKeysOf({ address: '192.0.2.1' })).hold(4_096)).toBeUndefined();
    expect(bytes.bytes).toBe(0);
  });
});
