import type { RequestContext } from '../request/context.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import type { PipelineServices } from './services.ts';

/**
 * What an operation turned out to cost: its objects are counted, and charged to the rates of its caller where they are
 * many. What was estimated before decides whether it may run; this decides how soon its caller may ask again.
 */
export function recordDemand(
  objects: number,
  { operation, caller }: AdmittedOperation,
  { address }: Pick<RequestContext, 'address'>,
  { observer, rateLimiter }: PipelineServices,
): void {
  observer.objectsAnswered(operation.kind, objects);
  rateLimiter.chargeAnswer(address, caller, objects);
}
