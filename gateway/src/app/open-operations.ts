import type { Logger, OperationsRoutes, Resources } from '@trellis/runtime';
import { configWith, type GatewayConfig } from '../config/config.ts';
import { readSettings } from '../config/read-settings.ts';
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
  const ofFile = new ConfigOfFile(config, logger);
  const current = (): GatewayConfig => started()?.config?.() ?? ofFile.read();
  const cache = openCacheOperations(config, current, logger);
  return {
    secrets: config.OPERATIONS_SECRET,
    add: (server) => {
      cache?.add(server);
      addStatePage(server, metrics);
      addRecordVerdicts(server, {
        verdict: async (sequence, signal) => started()?.verdict(sequence, signal),
      });
      addRecordedUsers(server, {
        recorded: () => recordedBy(current()),
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

/** The configuration for a process that serves no queries itself, and so does not watch its file: it is read again at each use. */
class ConfigOfFile {
  #config: GatewayConfig;
  readonly #logger: Logger;

  constructor(config: GatewayConfig, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
  }

  /** An invalid file changes nothing, as for the processes that serve queries. */
  read(): GatewayConfig {
    const { CONFIG: file, environment } = this.#config;
    try {
      if (file !== undefined) this.#config = configWith(this.#config, file, readSettings(file, environment));
    } catch (error) {
      this.#logger.warn({ err: error, file }, 'invalid configuration; keeping the current one');
    }
    return this.#config;
  }
}
