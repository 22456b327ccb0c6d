// As recording-gateway.mjs, and it records in every other turn alone: what two processes of the same program cost differs by some 3 %.
// Argument 4: the file that gets the turns when the process ends, a line for each two: processor time of all threads for an operation in
// a turn that is not recorded, and in the one beside it that is, in milliseconds.
import { writeFileSync } from 'node:fs';
import process from 'node:process';

/** Of a turn. */
const OPERATIONS = 1_000;

const [, , main, file] = process.argv.slice(2);
const module = main.replace(/main(\.[jt]s)$/, 'usage/usage-recorder$1');
const { IntervalRecorder } = await import(module);
const { record } = IntervalRecorder.prototype;

/** Each two turns in the other order than the two before: what grows or fades meets both alike. */
const isRecorded = (turn) => turn % 4 === 1 || turn % 4 === 2;

const turns = [];
let [operations, fromMs, recording] = [0, processorMs(), isRecorded(0)];

function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function endTurn() {
  const ms = processorMs();
  turns.push((ms - fromMs) / operations);
  [operations, fromMs, recording] = [0, ms, isRecorded(turns.length)];
}

/** @yields {[without: number, recorded: number]} */
function* pairsOfTurns() {
  for (let turn = 0; turn + 1 < turns.length; turn += 2) {
    const pair = [turns[turn], turns[turn + 1]];
    yield isRecorded(turn) ? pair.toReversed() : pair;
  }
}

IntervalRecorder.prototype.record = function (context, result, sinceMs) {
  if (recording) record.call(this, context, result, sinceMs);
  operations += 1;
  if (operations === OPERATIONS) endTurn();
};
process.on('exit', () =>
  writeFileSync(file, [...pairsOfTurns()].map((pair) => `${JSON.stringify(pair)}\n`).join('')),
);
await import('./recording-gateway.mjs');
