// As recording-gateway.mjs, and it measures how much of its processor time is spent on counting: what two processes of the same program
// cost differs by some 3 %. Argument 4: the file that gets the turns when the process ends, a line for each: processor time of all threads
// for an operation and what of it is counting, in milliseconds, the reading of its clock included.
import { writeFileSync } from 'node:fs';
import process from 'node:process';

/** Of a turn. */
const OPERATIONS = 1_000;
/** What takes longer was interrupted: by other programs, or to collect what others have left. */
const MAX_MS = 1;

const [, , main, file] = process.argv.slice(2);
const module = main.replace(/main(\.[jt]s)$/, 'usage/usage-recorder$1');
const { IntervalRecorder } = await import(module);
const { record } = IntervalRecorder.prototype;

const turns = [];
let [operations, countingMs, fromMs] = [0, 0, processorMs()];

function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function endTurn() {
  const ms = processorMs();
  turns.push([(ms - fromMs) / operations, countingMs / operations]);
  [operations, countingMs, fromMs] = [0, 0, ms];
}

IntervalRecorder.prototype.record = function (context, result, sinceMs) {
  const beganMs = performance.now();
  record.call(this, context, result, sinceMs);
  countingMs += Math.min(MAX_MS, performance.now() - beganMs);
  operations += 1;
  if (operations === OPERATIONS) endTurn();
};
process.on('exit', () => writeFileSync(file, turns.map((turn) => `${JSON.stringify(turn)}\n`).join('')));
await import('./recording-gateway.mjs');
