import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findCommand, findRedisProgram, startEmbeddedRedis, usesOfRedis } from '@trellis/dev-stores';
import { RespReader, type RespMessage } from './resp-reader.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';

/** A real Redis that answers, and the one of this process, which is asked the same and whose replies are compared. */
export interface MirroredRedis {
  readonly url: string;
  /** Resolves when both have answered all that was asked. @throws Error after five seconds */
  settled(): Promise<void>;
  /** Commands and scripts that the product uses in folders of the repository and whose replies were not compared. */
  notCompared(folders: readonly string[]): readonly string[];
  /** Each request that the two answered otherwise, in words. */
  readonly differences: readonly string[];
  stop(): Promise<void>;
}

const PASSWORD = 'test';

/** What clients read of the error: Valkey puts it in other words. */
const NO_SCRIPT = '-NOSCRIPT ';

/** Replies that name the server, its time or its clients. */
const INCOMPARABLE = new Set(['auth', 'client', 'hello', 'info', 'time']);
const WITHOUT_REPLY = new Set(['subscribe']);

/** Milliseconds by which the servers' clocks may be apart: the second is asked a moment later. */
const CLOCK_TOLERANCE_MS = 2_000;
/** Smaller numbers are counts, which have to be equal. */
const LEAST_TIME_MS = 1_000;
const SETTLE_DEADLINE_MS = 60_000;
const POLL_MS = 5;

/** Whether this machine has the real one. */
export function canMirrorRedis(): boolean {
  return findRedisProgram(process.env['PATH'] ?? '') !== undefined;
}

/**
 * Starts both, and a door in front of them. What clients send goes to both, what the real one answers goes back. Times are compared
 * within two seconds. Requests of one connection are compared in order; those of several must not depend on one another's order.
 *
 * @throws Error when this machine has no real one
 */
export async function startMirroredRedis(): Promise<MirroredRedis> {
  if (!canMirrorRedis()) throw new Error('There is no redis-server on this machine.');
  const directory = createTemporaryDirectory();
  const start = (name: string, path: string): ReturnType<typeof startEmbeddedRedis> =>
    startEmbeddedRedis({ directory: join(directory.path, name), path, password: PASSWORD });
  const servers = await Promise.all([start('real', process.env['PATH'] ?? ''), start('twin', '')]);
  const comparison = new Comparison();
  const [realPort = 0, twinPort = 0] = servers.map(({ url }) => Number(new URL(url).port));
  const door = createServer((client) => mirror(client, connectTo(realPort), connectTo(twinPort), comparison));
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const { port } = door.address() as AddressInfo; // it listens on TCP
  return {
    url: `redis://:${PASSWORD}@127.0.0.1:${port}`,
    settled: () => comparison.settled(),
    notCompared: (folders) => comparison.notCompared(folders),
    differences: comparison.differences,
    stop: async () => {
      door.close();
      await Promise.all(servers.map((server) => server.stop()));
      directory.remove();
    },
  };
}

function connectTo(port: number): Socket {
  return connect(port, '127.0.0.1');
}

function mirror(client: Socket, real: Socket, twin: Socket, comparison: Comparison): void {
  const requests = new RespReader();
  const conversation = new Conversation(comparison);
  client.on('data', (chunk: Buffer) => {
    for (const request of requests.push(chunk)) conversation.ask(request);
    real.write(chunk);
    twin.write(chunk);
  });
  for (const [side, socket] of [real, twin].entries()) {
    const replies = new RespReader();
    socket.on('data', (chunk: Buffer) => {
      for (const reply of replies.push(chunk)) conversation.response(side, reply);
      if (socket === real) client.write(chunk);
    });
  }
  for (const socket of [client, real, twin]) {
    socket.on('error', () => undefined); // its end follows
    socket.on('close', () => [client, real, twin].forEach((other) => other.destroy()));
  }
}

/** What the comparisons of all connections have come to. */
class Comparison {
  /** Commands in lower case, and the SHA-1 of scripts. */
  readonly compared: Set<string> = new Set();
  readonly differences: string[] = [];
  /** Requests that wait for one of their replies. */
  waiting = 0;
  /** Commands that scripts call. */
  readonly #within = new Set<string>();
  /** Texts of scripts by their SHA-1. */
  readonly #sources = new Map<string, string>();

  notCompared(folders: readonly string[]): readonly string[] {
    const { methods, scripts } = usesOfRedis('product', folders);
    const commands = [...methods].filter(
      (name) => findCommand(name) !== undefined && !this.#isCompared(name),
    );
    const missed = [...scripts].filter(([, text]) => !this.compared.has(sha1(Buffer.from(text))));
    return [...commands, ...missed.map(([path]) => path)];
  }

  /** Within the scripts commands are compared as parts of them. */
  #isCompared(name: string): boolean {
    return this.compared.has(name) || this.#within.has(name);
  }

  async settled(): Promise<void> {
    for (let waitedMs = 0; this.waiting > 0; waitedMs += POLL_MS) {
      if (waitedMs > SETTLE_DEADLINE_MS)
        throw new Error(`${this.waiting} requests were not answered by both.`);
      await delay(POLL_MS);
    }
  }

  compare(request: readonly string[], real: RespMessage, twin: RespMessage): void {
    const [name = ''] = request;
    this.waiting -= 1;
    this.compared.add(name);
    if (INCOMPARABLE.has(name)) return;
    const script = this.#scriptOf(request);
    const [first, second] = script.includes('SMEMBERS')
      ? [withoutOrder(real), withoutOrder(twin)]
      : [real, twin];
    if (isAlike(first, second)) return;
    const asked = request.map((word) => word.slice(0, 200)).join(' ');
    this.differences.push(`${asked}\n  real ${JSON.stringify(real)}\n  ours ${JSON.stringify(twin)}`);
  }

  /** The text of the script that is called, empty for other commands: whole in its first call, known by its hash later. */
  #scriptOf([name, script = '']: readonly string[]): string {
    if (name === 'evalsha') return this.#sources.get(script) ?? '';
    if (name !== 'eval') return '';
    const source = Buffer.from(script, 'latin1');
    this.compared.add(sha1(source));
    this.#sources.set(sha1(source), script);
    for (const [, command = ''] of script.matchAll(/redis\.call\(\s*'(\w+)'/g))
      this.#within.add(command.toLowerCase());
    return script;
  }
}

/** @param source of a script */
function sha1(source: Buffer): string {
  return createHash('sha1').update(source).digest('hex');
}

/** One connection: requests that wait for their two replies. */
class Conversation {
  readonly #comparison: Comparison;
  readonly #requests: (readonly string[])[] = [];
  readonly #replies: [RespMessage[], RespMessage[]] = [[], []];

  constructor(comparison: Comparison) {
    this.#comparison = comparison;
  }

  ask(request: RespMessage): void {
    const [name = '', ...words] = typeof request === 'string' ? [request] : request.slice(1).map(textOf);
    const command = name.toLowerCase();
    if (WITHOUT_REPLY.has(command)) this.#comparison.compared.add(command);
    else {
      this.#comparison.waiting += 1;
      this.#requests.push([command, ...words]);
    }
  }

  response(side: number, reply: RespMessage): void {
    if (reply[0] === '>') return; // a message of a channel
    this.#replies[side === 0 ? 0 : 1].push(reply);
    const [[real], [twin]] = this.#replies;
    if (real === undefined || twin === undefined) return;
    this.#replies.forEach((replies) => replies.shift());
    this.#comparison.compare(this.#requests.shift() ?? [], real, twin);
  }
}

function textOf(message: RespMessage): string {
  return typeof message === 'string' ? message.slice(1) : '';
}

function isAlike(real: RespMessage, twin: RespMessage): boolean {
  if (typeof real === 'string' || typeof twin === 'string')
    return typeof real === 'string' && typeof twin === 'string' && isAlikeText(real, twin);
  if (real.length !== twin.length || real[0] !== twin[0]) return false;
  const [first, second] = real[0] === '~' ? [sorted(real), sorted(twin)] : [real, twin];
  return first.every((item, index) => isAlike(item, second[index] ?? ''));
}

/** A set has no order. */
function sorted(set: readonly RespMessage[]): readonly RespMessage[] {
  return set.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}

/** In Lua a set is a list, in the order of its server. */
function withoutOrder(message: RespMessage): RespMessage {
  return typeof message === 'string' ? message : sorted(message.map(withoutOrder));
}

/** The same, but for numbers that can be times: those may be apart by what the clocks may. */
function isAlikeText(real: string, twin: string): boolean {
  if (real === twin || (real.startsWith(NO_SCRIPT) && twin.startsWith(NO_SCRIPT))) return true;
  const [first, second] = [real, twin].map((text) => text.split(/(\d+)/));
  if (!first || first.length !== second?.length) return false;
  return first.every((part, index) => {
    const other = second[index] ?? '';
    return part === other || (/^\d+$/.test(part) && isSameTime(Number(part), Number(other)));
  });
}

function isSameTime(real: number, twin: number): boolean {
  return Math.min(real, twin) >= LEAST_TIME_MS && Math.abs(real - twin) <= CLOCK_TOLERANCE_MS;
}
