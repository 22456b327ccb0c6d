import type { ExecutionResult } from '../plan/execution-result.ts';
import type { CachePolicy } from '../caching/cache-policy.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import { cachePolicyOf } from './cache-policy-of.ts';
import type { OperationResult } from './operation-result.ts';

/** A response that is nothing but data, as bytes: its text is only made where a transport asks for it. */
export class WholeResult implements OperationResult {
  readonly kind = 'single';
  readonly errors: OperationResult['errors'] = [];
  readonly body: Buffer;
  readonly admitted: AdmittedOperation;
  readonly #result: ExecutionResult;

  constructor(result: ExecutionResult, body: Buffer, admitted: AdmittedOperation) {
    this.#result = result;
    this.body = body;
    this.admitted = admitted;
  }

  get cachePolicy(): CachePolicy {
    return cachePolicyOf(this.#result, this.admitted);
  }

  get data(): string {
    return this.#result.dataText ?? JSON.stringify(this.#result.data);
  }
}
