import type { Worker } from 'node:cluster';
import { on } from 'node:events';
import { StartupError } from '@trellis/runtime';
import type { SentConfig } from '../config/config.ts';
import type { RecordVerdict } from '../registry/record-verdicts.ts';
import type { UsersFound, UsersQuestion, UsersReply, UsersWanted } from '../usage/users-exchange.ts';
import type { RelayedTrial } from '../variants/trial-exchange.ts';

/** Messages of the primary process to a worker. */
export type ToWorker =
  | RelayedTrial
  | UsersQuestion
  | UsersFound
  | { readonly kind: 'start'; readonly config: SentConfig }
  | { readonly kind: 'listen' }
  | { readonly kind: 'sdl' }
  | { readonly kind: 'verdict'; readonly sequence: number }
  | { readonly kind: 'close' };

/**
 * Messages of a worker to the primary process: `waiting` when it listens to messages, as earlier ones may be lost;
 * `prepared` when all but the port is open; `configuration` when another came into force; `alive` every second from the start.
 */
export type FromWorker =
  | RelayedTrial
  | UsersWanted
  | UsersReply
  | { readonly kind: 'waiting' }
  | { readonly kind: 'alive' }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'configuration'; readonly config: SentConfig }
  | { readonly kind: 'sdl'; readonly sdl: string }
  | { readonly kind: 'verdict'; readonly sequence: number; readonly found: RecordVerdict | undefined }
  | { readonly kind: 'failed'; readonly message: string };

/** A worker that has ended hears nothing. */
export function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}

/** @returns where it listens */
export async function listens(worker: Worker): Promise<string> {
  return (await hears(worker, 'ready')).url;
}

type Heard<Kind extends FromWorker['kind']> = Extract<FromWorker, { readonly kind: Kind }>;

/** Rejects when the worker fails or ends before it says so. */
export function hears<Kind extends FromWorker['kind']>(worker: Worker, kind: Kind): Promise<Heard<Kind>> {
  return new Promise((resolve, reject) => {
    worker.once('exit', (code, signal) =>
      reject(new Error(`Worker ${worker.id} has ended (${signal ?? `status ${code}`}) before it was ready.`)),
    );
    worker.on('message', (message: FromWorker) => {
      if (message.kind === kind)
        resolve(message as Heard<Kind>); // by its kind
      else if (message.kind === 'failed') reject(new StartupError(message.message));
    });
  });
}

type Asked = Extract<ToWorker, { readonly kind: 'sdl' | 'verdict' }>;

/** What a worker says of what it is asked for. */
export async function ask<Question extends Asked>(
  worker: Worker,
  question: Question,
  signal: AbortSignal,
): Promise<Heard<Question['kind']>> {
  const messages = on(worker, 'message', { signal, close: ['exit'] }) as AsyncIterable<[FromWorker]>;
  send(worker, question);
  for await (const [message] of messages)
    if (isReplyTo(question, message)) return message as Heard<Question['kind']>; // by its kind
  throw new Error('The worker has ended.');
}

/** One that was asked for before, and came too late, is another's. */
function isReplyTo(question: Asked, message: FromWorker): boolean {
  if (question.kind === 'sdl') return message.kind === 'sdl';
  return message.kind === 'verdict' && message.sequence === question.sequence;
}
