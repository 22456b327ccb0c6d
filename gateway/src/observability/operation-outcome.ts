import { isGatewayErrorCode } from '../errors.ts';
import type { OperationResult } from '../pipeline/operation-result.ts';

/** How an operation ended, as one of few values: `OK`, `PARTIAL` where some data is missing, else the code of the first error. */
export function outcomeOf(response: OperationResult): string {
  const code = response.errors[0]?.extensions?.['code'];
  if (code === undefined) return 'OK';
  const known = isGatewayErrorCode(code) ? code : 'OTHER';
  return response.data === undefined || response.data === 'null' ? known : 'PARTIAL';
}
