import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { TaskThread } from './task-thread.ts';

it('A thread that ends while it has nothing to do costs the next task nothing', async () => {
  const program = `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', (task) => { parentPort.postMessage(task); if (task === 1) process.exit(3); });`;
  const exits: Promise<unknown>[] = [];
  const start = (): Worker => {
    const worker = new Worker(program, { eval: true });
    exits.push(once(worker, 'exit'));
    return worker;
  };
  const thread = new TaskThread<number, number>({ name: 'test', start, deadlineMs: 5_000 });
  await thread.run(1);
  await exits[0];
  expect([await thread.run(2), exits.length]).toEqual([2, 2]);
  await thread.close();
});
