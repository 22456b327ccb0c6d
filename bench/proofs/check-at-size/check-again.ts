import { HEAP_FLAGS } from 'trellis/programs';
import { inRepository } from './installed-program.ts';
import { run } from './measured-run.ts';

/** Runs a command line twice in one process, and says on its last line how long the second time took. */
const TWICE = `
import { runTrellis } from ${JSON.stringify(inRepository('cli/dist/trellis.js'))};
const args = process.argv.slice(1);
await runTrellis(args);
const startedAt = performance.now();
await runTrellis(args);
process.stdout.write('\\n' + String(performance.now() - startedAt));
`;

/**
 * Runs a command in a process that has run it before.
 *
 * @param args what follows the program's name
 * @returns seconds of the second time
 */
export async function checkAgain(args: readonly string[]): Promise<number> {
  const program = [...HEAP_FLAGS, '--input-type=module', '--eval', TWICE, '--'];
  const { output } = await run([...program, ...args]);
  return Math.round(Number(output.slice(output.lastIndexOf('\n') + 1))) / 1_000;
}
