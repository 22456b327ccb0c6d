import { createProgress, createTerminal, paintVerdicts } from '../terminal/index.ts';
import type { Output } from './output.ts';

/** The standard streams of this process: verdicts in colours, and what goes on, where a terminal shows them. */
export function standardOutput(): Output {
  const out = createTerminal(process.stdout, process.env);
  const error = createTerminal(process.stderr, process.env);
  return {
    out: out.write,
    error: (text) => error.write(paintVerdicts(text, error.paint)),
    paint: (text) => paintVerdicts(text, out.paint),
    progress: createProgress(error, { isTransient: true }),
  };
}
