import type { Logger } from '@trellis/runtime';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { OperationResult } from '../pipeline/operation-result.ts';
import { isListed } from '../pipeline/persisted-query.ts';
import { operationOutcome } from '../pipeline/respond.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { PlanningObserver } from '../planning/plan-operation.ts';
import { clientSoftwareOf, type ClientSoftware } from '../identity/caller.ts';
import type { RequestContext } from '../request/context.ts';
import { OperationNames } from './operation-names.ts';
import type { ResponseCacheObserver } from '../response-cache/response-cache.ts';
import { TalliedCounter, TalliedHistogram } from './tallied-metrics.ts';

/** Counts what the gateway answers. */
interface OperationMetrics {
  /** @param seconds from the request's arrival to its response */
  observe(response: OperationResult, seconds: number): void;
}

/** What takes longer counts as slow. */
const SLOW_S = 1;

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Registers the series of operations. Their labels come from closed sets, names from a bounded one, so that clients can't make
 * series. The series of a name that leaves go with it, and are not added to `other`, where they would look like a burst; when the name
 * comes back they begin at 0, as after a restart.
 *
 * @param isListed whether the operator has listed the text of an operation
 */
function createOperationMetrics(registry: Registry, isListed: (text: string) => boolean): OperationMetrics {
  const responses = new TalliedCounter(
    {
      name: 'trellis_gateway_operations_total',
      help: 'Operations by name, kind and outcome: OK, PARTIAL where some data is missing, else the code of the first error.',
      labelNames: ['name', 'kind', 'outcome'],
    },
    registry,
  );
  const duration = new TalliedHistogram(
    {
      name: 'trellis_gateway_operation_duration_seconds',
      help: 'Seconds from the arrival of an operation to its response.',
      labelNames: ['kind'],
    },
    BUCKETS_S,
    registry,
  );
  const { time, slow } = createTimesByName(registry);
  const limits = new Counter({
    name: 'trellis_gateway_limits_exceeded_total',
    help: 'Operations rejected by a limit, by its name.',
    labelNames: ['limit'],
    registers: [registry],
  });
  const names = new OperationNames({
    onLeave: (name) => {
      for (const series of [responses, time, slow]) series.remove(name);
    },
  });
  return {
    observe(response, seconds) {
      const { admitted } = response;
      const kind = admitted?.operation.kind ?? 'none';
      const name = (admitted && names.labelOf(admitted.operation.name, isListed(admitted.text))) ?? '';
      responses.count(name, kind, operationOutcome(response));
      duration.observe(seconds, kind);
      time.add(seconds, name);
      if (seconds > SLOW_S) slow.count(name);
      const limit = limitOf(response);
      if (limit !== undefined) limits.inc({ limit });
    },
  };
}

/** Two numbers for each name, where buckets would be sixteen: which operations are slow shows in them. */
function createTimesByName(registry: Registry): Record<'time' | 'slow', TalliedCounter<readonly ['name']>> {
  const time = new TalliedCounter(
    {
      name: 'trellis_gateway_operation_seconds_total',
      help: 'Seconds from the arrival of operations to their responses, by name.',
      labelNames: ['name'],
    },
    registry,
  );
  const slow = new TalliedCounter(
    {
      name: 'trellis_gateway_slow_operations_total',
      help: 'Operations that took longer than one second, by name.',
      labelNames: ['name'],
    },
    registry,
  );
  return { time, slow };
}

function limitOf({ errors }: OperationResult): string | undefined {
  const limit: unknown = errors[0]?.extensions?.['limit'];
  const name = typeof limit === 'object' && limit !== null && 'name' in limit ? limit.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Registers the series of the response cache. */
export function createResponseCacheMetrics(registry: Registry): ResponseCacheObserver {
  const lookups = new TalliedCounter(
    {
      name: 'trellis_gateway_response_cache_total',
      help: 'Response cache lookups by outcome: hit, coalesced, miss, failed (Redis was unavailable).',
      labelNames: ['outcome'],
    },
    registry,
  );
  return { lookup: (outcome) => lookups.count(outcome) };
}

const PLANNING_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Registers the series of planning: whether plans and introspection results were cached, and how long planning took. */
export function createPlanningObserver(registry: Registry): PlanningObserver {
  const plans = new TalliedCounter(
    {
      name: 'trellis_gateway_plans_total',
      help: 'Plan lookups by outcome: hit, coalesced, miss, failed.',
      labelNames: ['outcome'],
    },
    registry,
  );
  const introspection = new TalliedCounter(
    {
      name: 'trellis_gateway_introspection_results_total',
      help: 'Introspection lookups by outcome: hit, miss, failed.',
      labelNames: ['outcome'],
    },
    registry,
  );
  const duration = new Histogram({
    name: 'trellis_gateway_planning_duration_seconds',
    help: 'Seconds to plan an operation on a cache miss, queueing included.',
    buckets: PLANNING_BUCKETS_S,
    registers: [registry],
  });
  return {
    hit: () => plans.count('hit'),
    coalesced: () => plans.count('coalesced'),
    miss(durationMs) {
      plans.count('miss');
      duration.observe(durationMs / 1_000);
    },
    failed: () => plans.count('failed'),
    introspected: (outcome) => introspection.count(outcome),
  };
}

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
      help: 'Operations of clients that name themselves or have a token, by name, version, OAuth client and outcome.',
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
      const oauthClient = response.admitted?.caller.context.clientId;
      if (!client && oauthClient === undefined) return;
      const { name: said = '', version: saidVersion = '' } = client ?? {};
      const label = combinations.labelOf([said, saidVersion, oauthClient ?? ''].join(SEPARATOR));
      const [name = 'other', version = '', id = ''] = label.split(SEPARATOR);
      operations.count(name, version, id, operationOutcome(response));
    },
  };
}

const MAX_LOGGED_NAME_CHARACTERS = 100;

/** Counts and, at the level debug, logs each response that goes out. */
type ResponseObserver = (
  request: Pick<RequestContext, 'headers' | 'software'> & { readonly id: string },
  response: OperationResult,
  durationMs: number,
) => void;

/** @param services those in force now, which know the operations that the operator has listed */
export function createResponseObserver(
  registry: Registry,
  logger: Logger,
  services: () => Pick<PipelineServices, 'persistedQueries'>,
): ResponseObserver {
  const operations = createOperationMetrics(registry, (text) => isListed(text, services().persistedQueries));
  const clients = createClientMetrics(registry);
  return (request, response, durationMs) => {
    const client = clientSoftwareOf(request);
    operations.observe(response, durationMs / 1_000);
    clients.observe(client, response);
    if (!logger.isLevelEnabled('debug')) return;
    const operation = response.admitted?.operation;
    logger.debug(
      {
        requestId: request.id,
        operation: operation?.name?.slice(0, MAX_LOGGED_NAME_CHARACTERS),
        kind: operation?.kind,
        client: client?.name,
        clientVersion: client?.version,
        oauthClient: response.admitted?.caller.context.clientId,
        outcome: response.errors[0]?.extensions?.['code'],
        stage: response.stage,
        durationMs,
      },
      'operation ended',
    );
  };
}
