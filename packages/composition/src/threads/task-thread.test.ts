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

it('A thread that was started ahead does the first task, and is not started again', async () => {
  let starts = 0;
  const start = (): Worker => {
    starts += 1;
    const program = `const { parentPort } = require('node:worker_threads');
      parentPort.on('message', (task) => parentPort.postMessage(task));`;
    return new Worker(program, { eval: true });
  };
  const thread = new TaskThread<number, number>({ name: 'test', start, deadlineMs: 5_000 });
  thread.start();
  thread.start();
  expect([starts, await thread.run(1), starts]).toEqual([1, 1, 1]);
  await thread.close();
  thread.start();
  expect(starts).toBe(1);
});

it('A thread that is released ends after its tasks, and the next task gets a new one', async () => {
  let starts = 0;
  const exits: Promise<unknown>[] = [];
  const start = (): Worker => {
    starts += 1;
    const program = `const { parentPort } = require('node:worker_threads');
      parentPort.on('message', (task) => parentPort.postMessage(task));`;
    const worker = new Worker(program, { eval: true });
    exits.push(once(worker, 'exit'));
    return worker;
  };
  const thread = new TaskThread<number, number>({ name: 'test', start, deadlineMs: 5_000 });
  const first = thread.run(1);
  await thread.release();
  await exits[0];
  expect([await first, await thread.run(2), starts]).toEqual([1, 2, 2]);
  await thread.close();
});

it('A thread that the system does not start ahead of its first task fails that task alone, with the reason', async () => {
  let starts = 0;
  const start = (): Worker => {
    starts += 1;
    if (starts < 3) throw new Error('no more threads');
    const program = `const { parentPort } = require('node:worker_threads');
      parentPort.on('message', (task) => parentPort.postMessage(task));`;
    return new Worker(program, { eval: true });
  };
  const thread = new TaskThread<number, number>({ name: 'test', start, deadlineMs: 5_000 });
  thread.start();
  await expect(thread.run(1)).rejects.toThrow('no more threads');
  expect([await thread.run(2), starts]).toEqual([2, 3]);
  await thread.close();
});
