import type { ConfigOf, ProcessConfig } from '@trellis/runtime';
import { adminScopes, openidScopes } from '../clients/scopes.ts';
import type { variables } from '../settings/variables.ts';

/** The auth-server's configuration, as read from its environment. Of secrets the newest is first. */
export type AuthServerConfig = ProcessConfig & ConfigOf<typeof variables>;

/** Every scope that clients can be registered for. */
export function knownScopes(config: Pick<AuthServerConfig, 'API_SCOPES' | 'ADMIN_API'>): readonly string[] {
  return [...openidScopes, ...config.API_SCOPES, ...(config.ADMIN_API ? adminScopes : [])];
}
