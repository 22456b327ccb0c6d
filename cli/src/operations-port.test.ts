import { expect, it } from 'vitest';
import { takesNextOperationsPort } from './operations-port.ts';

it.each([
  [true, {}],
  [true, { AUTH_OPERATIONS_PORT: '9470' }],
  [false, { OPERATIONS_PORT: '9464' }],
  [false, { GATEWAY_OPERATIONS_PORT: '9464' }],
] as const)(
  'the operations port of a program that is run by hand may be another one: %s, with %j',
  (may, given) => {
    expect(takesNextOperationsPort('GATEWAY', given)).toBe(may);
  },
);
