import type { OperationAnswer } from '../pipeline/index.ts';

/** An answer as JSON text. Errors come first, so that a reader of the text sees them. GraphQL specification, "Response Format". */
export function writeAnswer({ data, errors }: OperationAnswer): string {
  if (errors.length === 0) return `{"data":${data ?? 'null'}}`;
  const text = JSON.stringify(errors);
  return data === undefined ? `{"errors":${text}}` : `{"errors":${text},"data":${data}}`;
}

/** A batch of answers as JSON text, in the order of the requests. */
export function writeBatch(answers: readonly OperationAnswer[]): string {
  return `[${answers.map(writeAnswer).join(',')}]`;
}
