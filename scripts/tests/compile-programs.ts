import { loadExplorer } from '@trellis/explorer';
import { PROGRAMS_VARIABLE } from '@trellis/testkit';
import { repository, runTool } from '../programs/run-program.ts';
import { removeStaleOutputs } from './stale-outputs.ts';

/**
 * Compiles what has changed and builds the explorer, once for all tests that start programs, and lets these start the compiled ones: each would compile itself
 * at every start. Types are not checked: `npm run check` does that. What can't be compiled runs from source, and fails there.
 */
export async function compilePrograms(): Promise<void> {
  await loadExplorer();
  await removeStaleOutputs(repository);
  const { status, output } = await runTool('tsc', ['-b', '--noCheck']);
  if (status === 0) process.env[PROGRAMS_VARIABLE] = 'compiled';
  else {
    // A run that started this one may have compiled others.
    delete process.env[PROGRAMS_VARIABLE];
    process.stderr.write(`${output}\nPrograms run from source, as they can't be compiled.\n`);
  }
}
