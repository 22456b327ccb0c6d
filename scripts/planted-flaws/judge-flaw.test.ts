import { describe, expect, it } from 'vitest';
import { findFailure, findOversight } from './judge-flaw.ts';
import type { TestRun } from './run-named-tests.ts';

const named = { testFile: 'a.test.ts', test: 'G1: rejects %s (all of it)' };

function run(...failures: readonly string[]): TestRun {
  return {
    file: 'a.test.ts',
    title: 'G1: rejects null (all of it)',
    isPassed: failures.length === 0,
    failures,
  };
}

const ELSEWHERE: TestRun = { ...run(), file: 'b.test.ts' };

describe('A test notices a flaw', () => {
  it.each([
    ['AssertionError: expected 1 to be 2', 'by what it expects'],
    ['Error: expected [] to deeply equal [ 1 ]', 'by what it waits to see'],
    ['Error: promise resolved "7" instead of rejecting', 'by what it expects of a promise'],
    ['TypeError: .toMatch() expects to receive a string, but got undefined', 'by what it expects of a text'],
    ['Error: Test timed out in 60000ms.', 'by a time-out'],
    ['Error: STACK_TRACE_ERROR', 'by a time-out, of which the report has the stack'],
  ])('when it fails: %s', (failure) => {
    expect(findOversight([run(), run(failure)], named)).toBeUndefined();
  });

  it('and does not when it passes, does not run, or fails by anything else', () => {
    expect(findOversight([run(), ELSEWHERE], named)).toBe('passes with the flaw');
    expect(findOversight([ELSEWHERE], named)).toBe('did not run with the flaw');
    expect(findOversight([run('ReferenceError: a is not defined\n  at b')], named)).toBe(
      'fails by another error than an expectation: ReferenceError: a is not defined',
    );
    const file = { ...run('SyntaxError: Unexpected token'), title: '(the file)' };
    expect(findOversight([file], named)).toBe('did not run with the flaw: SyntaxError: Unexpected token');
  });
});

it('Without the flaw the test has to run, and to pass', () => {
  expect(findFailure([run(), ELSEWHERE], named)).toBeUndefined();
  expect(findFailure([ELSEWHERE], named)).toBe('did not run');
  expect(findFailure([run(), run('AssertionError: no')], named)).toBe(
    'fails without the flaw: AssertionError: no',
  );
});
