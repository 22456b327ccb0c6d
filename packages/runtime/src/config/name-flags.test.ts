import { describe, expect, it } from 'vitest';
import { nameFlags } from './name-flags.ts';

const flags = { GATEWAY_PORT: '--port', PORT: '--port' };

describe('A message about variables that were given as flags', () => {
  it.each([
    ['GATEWAY_PORT: must be a whole number.', '--port: must be a whole number.'],
    ['Stop it, or set PORT to another port.', 'Stop it, or set --port to another port.'],
    ['It is set by PORT.', 'It is set by --port.'],
    ['OPERATIONS_PORT: must be a whole number.', 'OPERATIONS_PORT: must be a whole number.'],
    ['/srv/PORT/PORT.yaml: ${env.PORT} is unset.', '/srv/PORT/PORT.yaml: ${env.PORT} is unset.'],
  ])('says of %j: %j', (message, named) => expect(nameFlags(message, flags)).toBe(named));
});
