import { createLogger, createMetrics, type Deployable } from '@trellis/runtime';
import { freePort } from '@trellis/testkit';
import { authServer } from '../app/auth-server.ts';
import type { TestAuthServer } from './test-auth-server.ts';

/** Starts another auth-server on the stores of one under test, with the same issuer. @param overrides of its environment; undefined removes a variable */
export async function startSecondInstance(
  { environment, issuer }: TestAuthServer,
  overrides: Readonly<Record<string, string | undefined>> = {},
): Promise<Deployable> {
  const all = { ...environment, ISSUER: issuer, PORT: String(await freePort()), ...overrides };
  const logger = createLogger({ service: 'auth-server', destination: { write: () => undefined } });
  return authServer.start(authServer.readConfig(all), { logger, metrics: createMetrics('auth-server') });
}
