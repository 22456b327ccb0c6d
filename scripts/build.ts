import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { deployableFolders } from './build/deployables.ts';
import { findBrokenExports } from './build/broken-exports.ts';
import { repository, runTool } from './programs/run-program.ts';

const { status, output } = await runTool('tsc', ['-b']);
process.stdout.write(output);
if (status === 0) await import('@trellis/explorer/build');
const problems = status === 0 ? findProblems() : ['The compiler found errors; they stand above.'];
if (problems.length === 0) printPrograms();
else process.stderr.write(`${problems.join('\n')}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function findProblems(): readonly string[] {
  const missing = deployableFolders.map(programOf).filter((file) => !existsSync(join(repository, file)));
  return [...missing.map((file) => `${file} was not built.`), ...findBrokenExports(repository)];
}

function printPrograms(): void {
  process.stdout.write(
    `Built. Run:\n${deployableFolders.map((folder) => `  node ${programOf(folder)}\n`).join('')}`,
  );
}

function programOf(folder: string): string {
  return `${folder}/dist/main.js`;
}
