import type { RequestContext } from '../request/context.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import type { ResultStream } from './result-stream.ts';

/** Opens the streams of operations that have been let in. */
export interface OperationStreams {
  /**
   * Plans the operation and finds whom to share it with. Nothing is asked of a subgraph before the stream is started.
   *
   * @throws RequestError when the root field is denied, or the client has too many streams
   */
  open(admitted: AdmittedOperation, context: RequestContext): Promise<ResultStream>;
}
