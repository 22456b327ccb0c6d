import type { Registry } from 'prom-client';
import type { OperationResult } from '../pipeline/operation-result.ts';
import type { ClientSoftware } from '../request/client-software.ts';
import { OperationNames } from './operation-names.ts';
import { outcomeOf } from './operation-outcome.ts';
import { TalliedCounter } from './tallied-metrics.ts';

/** Counts operations by the programs that send them. */
export interface ClientMetrics {
  observe(client: ClientSoftware | undefined, response: OperationResult): void;
}

const SEPARATOR = '\n'; // in none of the three

/**
 * Registers the series of clients. What clients say of themselves makes no series of its own: 200 combinations at most are counted by
 * name, those that are used most, and the others as `other`.
 */
export function createClientMetrics(registry: Registry): ClientMetrics {
  const operations = new TalliedCounter(
    {
      name: 'trellis_gateway_client_operations_total',
      help: 'Operations of clients that name themselves, by name, version, OAuth client and outcome.',
      labelNames: ['client', 'version', 'oauth_client', 'outcome'],
    },
    registry,
  );
  const combinations = new OperationNames({
    maxCharacters: 300,
    onLeave: (combination) => operations.removeUnder(combination.split(SEPARATOR)),
  });
  return {
    observe(client, response) {
      if (!client) return;
      const oauthClient = response.admitted?.caller.context.clientId ?? '';
      const label = combinations.labelOf([client.name, client.version, oauthClient].join(SEPARATOR));
      const [name = 'other', version = '', id = ''] = label.split(SEPARATOR);
      operations.count(name, version, id, outcomeOf(response));
    },
  };
}
