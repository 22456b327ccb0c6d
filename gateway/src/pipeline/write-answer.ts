import type { OperationAnswer } from './operation-answer.ts';

/** An answer as JSON text. Errors come first, so that a reader of the text sees them. GraphQL specification, "Response Format". */
export function writeAnswer({
  data,
  errors,
  extensions,
}: Pick<OperationAnswer, 'data' | 'errors' | 'extensions'>): string {
  const tail = extensions ? `,"extensions":${JSON.stringify(extensions)}}` : '}';
  if (errors.length === 0) return `{"data":${data ?? 'null'}${tail}`;
  const text = JSON.stringify(errors);
  return data === undefined ? `{"errors":${text}${tail}` : `{"errors":${text},"data":${data}${tail}`;
}

/** A batch of answers as JSON text, in the order of the requests. */
export function writeBatch(answers: readonly OperationAnswer[]): string {
  return `[${answers.map(writeAnswer).join(',')}]`;
}
