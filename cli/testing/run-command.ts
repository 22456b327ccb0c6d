import { vi } from 'vitest';
import { runTrellis } from '../src/trellis.ts';

/** What a command has said, and its exit status as a shell sees it. */
export interface CommandRun {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

/** Runs a command of `trellis` in this process. */
export async function trellis(...args: readonly string[]): Promise<CommandRun> {
  let [out, error] = ['', ''];
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true)),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((error += String(text)), true)),
  ];
  try {
    process.exitCode = undefined;
    const status = await runTrellis(args);
    return { status: status || exitCode(), out, error };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = undefined;
  }
}

/** Set by the command: the compiler takes it for what it was before. */
function exitCode(): number {
  return Number(process.exitCode ?? 0);
}
