import { describe, expect, it } from 'vitest';
import { StreamedResult } from './result-stream.ts';

describe('A result for many clients', () => {
  it('is framed once for those with the same frame', () => {
    const result = new StreamedResult('{"data":"ž"}');
    const frame = result.framed('a', ({ bytes }) => Buffer.from(bytes));
    expect(frame.toString()).toBe('{"data":"ž"}');
    expect(result.framed('a', () => Buffer.from('another'))).toBe(frame);
    expect(result.framed('b', ({ text }) => Buffer.from(`b${text}`)).toString()).toBe('b{"data":"ž"}');
  });

  it('keeps no frame for each client where all of them differ', () => {
    const result = new StreamedResult('{}');
    const names = Array.from({ length: 100 }, (_, index) => `name ${index}`);
    for (const name of names) expect(result.framed(name, () => Buffer.from(name)).toString()).toBe(name);
    const again = names.filter((name) => result.framed(name, () => Buffer.from('new')).toString() === name);
    expect(again.length).toBeGreaterThan(0);
    expect(again.length).toBeLessThan(20);
  });
});
