import type { ExecutionResult } from '../plan/execution-result.ts';
import type { PlanRun } from './plan-run.ts';

/** Writes the data of a result with what it asks of the schema. @throws as {@link IntrospectionPlaces.fill} */
export async function withIntrospection(result: ExecutionResult, run: PlanRun): Promise<ExecutionResult> {
  if (!run.introspection || result.data === null) return result; // nulls may have taken its places
  const { errors, objects, untold, caching } = result;
  const dataText = await run.introspection.fill(JSON.stringify(result.data), run);
  return {
    errors,
    objects,
    untold,
    caching,
    dataText,
    get data() {
      return JSON.parse(dataText) as ExecutionResult['data']; // it was written from one
    },
  };
}
