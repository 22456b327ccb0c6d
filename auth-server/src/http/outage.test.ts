import { describe, expect, it } from 'vitest';
import { outageOf } from './outage.ts';

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code });

describe('A-014: what counts as an outage', () => {
  it.each([
    withCode('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'),
    withCode('read ECONNRESET', 'ECONNRESET'),
    withCode('terminating connection due to administrator command', '57P01'),
    withCode('sorry, too many clients already', '53300'),
    new Error('Command timed out'),
    new Error('Connection is closed.'),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    new Error(
      'Reached the max retries per request limit (which is 1). Refer to "maxRetriesPerRequest" option for details.',
    ),
    new Error('LOADING Redis is loading the dataset in memory'),
    new Error("READONLY You can't write against a read only replica."),
    new Error("OOM command not allowed when used memory > 'maxmemory'."),
    new AggregateError([withCode('connect ECONNREFUSED ::1:5432', 'ECONNREFUSED')]),
  ])('%s', (error) => {
    expect(outageOf(error)).toMatchObject({ code: 'temporarily_unavailable', status: 503 });
  });

  it.each([
    new TypeError('x is not a function'),
    withCode('syntax error', '42601'),
    withCode('duplicate', '23505'),
    'text',
  ])('but not %s', (error) => {
    expect(outageOf(error)).toBeUndefined();
  });
});
