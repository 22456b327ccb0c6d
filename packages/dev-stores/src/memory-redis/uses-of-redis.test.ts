import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { commands } from './commands/command-table.ts';
import { usesOfRedis } from './uses-of-redis.ts';
import { RequestParser } from './protocol/request-parser.ts';
import { startMemoryRedis } from './start-memory-redis.ts';

const product = usesOfRedis('product');
const tests = usesOfRedis('tests');

/** Methods of ioredis that send no command of their name. */
const CLIENT_METHODS = [
  'connect',
  'disconnect',
  'duplicate',
  'exec',
  'monitor',
  'multi',
  'nodes',
  'on',
  'once',
  'pipeline',
];

/** What tests ask a real server only, or catch where it is missing. */
const OF_REAL_SERVERS = ['call', 'config', 'echo'];

/** What has these names is no Redis: a process, a pool, a program. */
const OF_OTHERS = [
  'close',
  'dispose',
  'end',
  'iterate',
  'kill',
  'query',
  'release',
  'restart',
  'run',
  'stop',
  'write',
];

describe('The in-process server', () => {
  it('has the commands that the product, its client and its tests use, and no other', async () => {
    const used = new Set([...product.methods, ...tests.methods, ...(await commandsOfConnecting())]);
    const elsewhere = new Set([...CLIENT_METHODS, ...OF_REAL_SERVERS, ...OF_OTHERS]);
    const expected = [...used].filter((name) => !elsewhere.has(name));
    expect([...commands.keys()].toSorted()).toEqual(expected.toSorted());
  });

  it('has the functions of Lua that scripts use, and no other', () => {
    const source = readFileSync(new URL('./scripting/sandbox.lua', import.meta.url), 'utf8');
    const libraries = [...source.matchAll(/select_fields\((\w+), \{([^}]*)\}/g)].flatMap(
      ([, library, names = '']) => quoted(names).map((name) => `${library}.${name}`),
    );
    const globals = quoted(/for _, name in ipairs\(\{([^}]*)\}/.exec(source)?.[1] ?? '');
    const offered = [...libraries, ...globals, 'unpack', 'string.format', 'redis.call'];
    const used = new Set([...product.functions, ...tests.functions]);
    expect(offered.toSorted()).toEqual([...used].toSorted());
  });

  it('has the conversions of string.format that scripts use, and no other', async () => {
    const server = await startMemoryRedis();
    const redis = new Redis(server.url);
    const letters = 'abcdefghijklmnopqrstuvwxyzEGX'.split('');
    const outcomes = await Promise.all(
      letters.map((letter) => redis.eval(`return string.format('%${letter}', 1)`, 0).catch(() => undefined)),
    );
    redis.disconnect();
    await server.close();
    const offered = letters.filter((_, index) => outcomes[index] !== undefined);
    expect(offered).toEqual([...product.conversions].toSorted());
  });

  it('is compared on scripts that exist', () => {
    expect(product.scripts.size).toBeGreaterThan(11);
    expect(product.methods.size).toBeGreaterThan(35);
  });
});

function quoted(text: string): string[] {
  return [...text.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
}

const LIMITS = {
  maxArguments: 100,
  maxBulkBytes: 10_000,
  maxRequestBytes: 100_000,
  complaint: 'invalid',
} as const;

/** What ioredis sends, over both protocols, with a name and a password, until it is ready. */
async function commandsOfConnecting(): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const server = await startMemoryRedis({ password: 'secret' });
  const tap = createServer((socket) => {
    const onward = connect(server.port, '127.0.0.1');
    const parser = new RequestParser(() => LIMITS);
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        parser.push(chunk);
        for (let request = parser.next(); request; request = parser.next())
          seen.add((request[0] ?? '').toLowerCase());
      });
    socket.pipe(onward).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(tap, 'listening');
  const { port } = tap.address() as AddressInfo; // it listens on TCP
  for (const protocol of [2, 3] as const) {
    const redis = new Redis(port, '127.0.0.1', { password: 'secret', connectionName: 'test', protocol });
    await once(redis, 'ready');
    redis.disconnect();
  }
  tap.close();
  await server.close();
  return seen;
}
