import { Counter, type Registry } from 'prom-client';
import { isGatewayErrorCode } from '../errors.ts';
import type { OperationAnswer } from '../pipeline/operation-answer.ts';
import { OperationNames } from './operation-names.ts';
import { TalliedCounter, TalliedHistogram } from './tallied-metrics.ts';

/** Counts what the gateway answers. */
export interface OperationMetrics {
  /** @param seconds from the request's arrival to its answer */
  observe(answer: OperationAnswer, seconds: number): void;
}

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Registers the series of operations. Their labels come from closed sets, names from a bounded one, so that clients can't make
 * series. The series of a name that leaves go with it, and are not added to `other`, where they would look like a burst; when the name
 * comes back they begin at 0, as after a restart.
 *
 * @param isListed whether the operator has listed the text of an operation
 */
export function createOperationMetrics(
  registry: Registry,
  isListed: (text: string) => boolean,
): OperationMetrics {
  const answers = new TalliedCounter(
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
  const limits = new Counter({
    name: 'trellis_gateway_limits_exceeded_total',
    help: 'Operations rejected by a limit, by its name.',
    labelNames: ['limit'],
    registers: [registry],
  });
  const names = new OperationNames({ onLeave: (name) => answers.remove(name) });
  return {
    observe(answer, seconds) {
      const { admitted } = answer;
      const kind = admitted?.operation.kind ?? 'none';
      const name = admitted && names.labelOf(admitted.operation.name, isListed(admitted.text));
      answers.count(name ?? '', kind, outcomeOf(answer));
      duration.observe(seconds, kind);
      const limit = limitOf(answer);
      if (limit !== undefined) limits.inc({ limit });
    },
  };
}

function outcomeOf(answer: OperationAnswer): string {
  const code = answer.errors[0]?.extensions?.['code'];
  if (code === undefined) return 'OK';
  const known = isGatewayErrorCode(code) ? code : 'OTHER';
  return answer.data === undefined || answer.data === 'null' ? known : 'PARTIAL';
}

function limitOf({ errors }: OperationAnswer): string | undefined {
  const limit: unknown = errors[0]?.extensions?.['limit'];
  const name = typeof limit === 'object' && limit !== null && 'name' in limit ? limit.name : undefined;
  return typeof name === 'string' ? name : undefined;
}
