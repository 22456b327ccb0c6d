import type { OperationsRoutes, Resources } from '@trellis/runtime';
import type { GatewayConfig } from '../config/config.ts';
import { settingsInUse } from '../config/settings-in-use.ts';
import { addStatePage } from '../http/pages/state-route.ts';
import { addRecordVerdicts } from '../http/routes/record-verdict-route.ts';
import { addRecordedUsers } from '../http/routes/recorded-users-route.ts';
import type { FieldSearch } from '../usage/field-search/recorded-use.ts';
import { searchInThread } from '../usage/field-search/search-thread.ts';
import { openCacheOperations } from './redis-resources.ts';
import type { ServingGateway } from './start-gateway.ts';

/** What operators find at the operations port beside `/metrics`: the gateway's state, who uses a field, and the response cache. */
export function openOperations(
  config: GatewayConfig,
  { logger, metrics }: Resources,
  started: () => ServingGateway | undefined,
): OperationsRoutes {
  const cache = openCacheOperations(config, logger);
  return {
    secrets: config.OPERATIONS_SECRET,
    add: (server) => {
      cache?.add(server);
      addStatePage(server, metrics);
      addRecordVerdicts(server, {
        verdict: async (sequence, signal) => started()?.verdict(sequence, signal),
      });
      addRecordedUsers(server, {
        recorded: recordedBy(config),
        sdl: async (signal) => started()?.sdl(signal),
        search: searchInThread,
        logger,
      });
    },
    close: () => cache?.close(),
  };
}

/** The same usage goes to each place: tables are read before files. */
function recordedBy(config: GatewayConfig): Pick<FieldSearch, 'database' | 'directory'> | undefined {
  const { USAGE_DATABASE_URL: database } = config;
  const { directory } = settingsInUse(config).usage;
  if (database !== undefined) return { database };
  return directory === undefined ? undefined : { directory };
}
