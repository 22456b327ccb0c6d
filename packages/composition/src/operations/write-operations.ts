import type { RecordedOperations } from './recorded-operation.ts';

/** Recorded operations as a file that `readOperations` reads. */
export function operationsText({ operations, isComplete }: RecordedOperations): string {
  const header = { format: 'trellis-operations/1', complete: isComplete };
  const lines = operations.map(({ inputs, ...rest }) => ({
    ...rest,
    ...(inputs && { inputs: [...inputs] }),
  }));
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}
