import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { repository } from './programs/run-program.ts';

const child = spawn(
  process.execPath,
  ['--conditions=trellis-source', '--import', 'tsx', 'e2e/pictures/main.ts', ...process.argv.slice(2)],
  { cwd: repository, stdio: 'inherit' },
);
const [status] = (await once(child, 'close')) as [number | null];
process.exitCode = status ?? 1;
