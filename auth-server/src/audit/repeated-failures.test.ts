import { describe, expect, it } from 'vitest';
import { countRepeatedFailures, type CountedFailures, type Failure } from './repeated-failures.ts';

const failure: Failure = { event: 'sign_in_failed', address: '203.0.113.1', why: 'credentials' };

/** What is written of failures: how many by themselves, and the counted rows. */
function written(failures: readonly Failure[]): {
  readonly single: number;
  readonly counted: readonly CountedFailures[];
} {
  const counted: CountedFailures[] = [];
  const repeated = countRepeatedFailures({ onCounted: (row) => void counted.push(row) });
  const single = failures.filter((each) => repeated.isFirst(each)).length;
  repeated.flush();
  repeated.flush();
  return { single, counted };
}

describe('L9: failures that repeat', () => {
  it('of one network are five rows, and one with the number of the others', () => {
    const addresses = Array.from({ length: 200 }, (_, index) => ({
      ...failure,
      address: `203.0.113.${index}`,
    }));
    const { single, counted } = written(addresses);
    expect(single).toBe(5);
    expect(counted).toEqual([
      { event: 'sign_in_failed', network: '203.0.113.0/24', why: 'credentials', count: 195 },
    ]);
  });

  it('are counted apart by client, reason and network', () => {
    const others = [
      failure,
      { ...failure, why: 'disabled' },
      { ...failure, address: '198.51.100.1' },
      { ...failure, event: 'client_authentication_failed', clientId: 'a' },
      { ...failure, event: 'client_authentication_failed', clientId: 'b' },
    ] as const;
    const { single, counted } = written(others.flatMap((each) => Array.from({ length: 7 }, () => each)));
    expect(single).toBe(25);
    expect(counted.map(({ count }) => count)).toEqual([2, 2, 2, 2, 2]);
  });

  it('are a bounded number of rows, from however many networks', () => {
    const networks = Array.from({ length: 20_000 }, (_, index) => ({
      ...failure,
      address: `10.${index >> 8}.${index & 255}.1`,
    }));
    const { single, counted } = written([...networks, ...networks]);
    expect(single).toBeLessThanOrEqual(1_000);
    expect(counted).toEqual([
      { event: 'sign_in_failed', network: undefined, why: 'credentials', count: 39_000 },
    ]);
  });
});
