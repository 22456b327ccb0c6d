import type { RecordedOperations } from './recorded-operation.ts';
import type { UsageWindow } from './usage-window.ts';

/** Recorded operations of a time as a file that `readOperations` reads. */
export function operationsText(
  { operations, isComplete }: RecordedOperations,
  { from, to }: UsageWindow = {},
): string {
  const header = { format: 'trellis-operations/1', from, to, complete: isComplete };
  const lines = operations.map(({ inputs, ...rest }) => ({
    ...rest,
    ...(inputs && { inputs: [...inputs] }),
  }));
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}
