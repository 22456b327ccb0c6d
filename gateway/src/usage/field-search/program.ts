import { parentPort, workerData } from 'node:worker_threads';
import { findFieldUsers } from './find-field-users.ts';
import type { FieldSearch, SearchOutcome } from './recorded-use.ts';

// The program of the thread of one search. It ends when it has reported.
void findFieldUsers(workerData as FieldSearch).then(report); // our own message

function report(outcome: SearchOutcome): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is about windows of a browser
  parentPort?.postMessage(outcome);
}
