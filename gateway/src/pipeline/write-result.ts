import type { OperationResult } from './operation-result.ts';

/** A response as JSON text. Errors come first, so that a reader of the text sees them. GraphQL specification, "Response Format". */
export function writeResult({
  data,
  errors,
  extensions,
}: Pick<OperationResult, 'data' | 'errors' | 'extensions'>): string {
  const tail = extensions ? `,"extensions":${JSON.stringify(extensions)}}` : '}';
  if (errors.length === 0) return `{"data":${data ?? 'null'}${tail}`;
  const text = JSON.stringify(errors);
  return data === undefined ? `{"errors":${text}${tail}` : `{"errors":${text},"data":${data}${tail}`;
}

/** A batch of answers as JSON text, in the order of the requests. */
export function writeBatch(results: readonly OperationResult[]): string {
  return `[${results.map(writeResult).join(',')}]`;
}
