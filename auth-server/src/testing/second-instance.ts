import { createLogger, createMetrics, type Deployable } from '@trellis/runtime';
import { freePort } from '@trellis/testkit';
import { authServer } from '../app/auth-server.ts';
import type { AuthServerConfig } from '../app/auth-server-config.ts';
import type { TestAuthServer } from './test-auth-server.ts';

/**
 * Starts another auth-server on the stores of one under test, with the same issuer.
 *
 * @param overrides of its environment; undefined removes a variable
 * @param shorter lifetimes that no operator could set, so that a test need not wait for longer ones
 */
export async function startSecondInstance(
  { environment, issuer }: TestAuthServer,
  overrides: Readonly<Record<string, string | undefined>> = {},
  shorter: Partial<Pick<AuthServerConfig, 'SESSION_IDLE_TTL_S' | 'SESSION_TTL_S'>> = {},
): Promise<Deployable> {
  const all = { ...environment, ISSUER: issuer, PORT: String(await freePort()), ...overrides };
  const logger = createLogger({ service: 'auth-server', destination: { write: () => undefined } });
  const config = { ...authServer.readConfig(all), ...shorter };
  return authServer.start(config, { logger, metrics: createMetrics('auth-server') });
}
