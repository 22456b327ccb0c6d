import { runTrellis } from './trellis.ts';

const status = await runTrellis(process.argv.slice(2));
if (status !== 0) process.exitCode = status;
