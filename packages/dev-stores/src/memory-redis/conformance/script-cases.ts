import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type RunningServer } from './servers.ts';

const CONSUME_ONCE = `
  local state = redis.call('GET', KEYS[1])
  if state ~= 'issued' then return 'rejected' end
  redis.call('SET', KEYS[1], 'used')
  redis.call('INCR', KEYS[2])
  return 'consumed'`;
const ADD_SLOWLY = `
  local value = tonumber(redis.call('GET', KEYS[1]) or '0')
  for i = 1, 50 do redis.call('GET', KEYS[2]) end
  redis.call('SET', KEYS[1], value + tonumber(ARGV[1]))
  return value`;

/** Scripts under many clients, and numbers as Lua 5.1 has them. */
export function describeScripts(server: () => RunningServer): void {
  let clients: Redis[];
  let redis: Redis;

  beforeAll(async () => {
    clients = await Promise.all(Array.from({ length: 10 }, () => connect(server())));
    redis = await connect(server());
  });
  afterAll(() => [...clients, redis].forEach((client) => client.disconnect()));

  it('let one of many parallel callers win', async () => {
    for (let round = 0; round < 20; round += 1) {
      await redis.set(`code:${round}`, 'issued');
      const outcomes = await Promise.all(
        clients.map((client) => client.eval(CONSUME_ONCE, 2, `code:${round}`, `count:${round}`)),
      );
      expect(outcomes.filter((outcome) => outcome === 'consumed')).toHaveLength(1);
      expect(await redis.get(`count:${round}`)).toBe('1');
    }
  });

  it('are never interleaved with other clients', async () => {
    await redis.del('sum');
    await Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: 30 }, () => client.eval(ADD_SLOWLY, 2, 'sum', 'other', 3)),
      ),
    );
    expect(await redis.get('sum')).toBe(String(clients.length * 30 * 3));
  });

  it('are known by their hash to every client', async () => {
    const source = 'return ARGV[1]';
    const sha1 = createHash('sha1').update(source).digest('hex');
    await expect(redis.evalsha(sha1, 0)).rejects.toThrow('NOSCRIPT No matching script. Please use EVAL.');
    await redis.eval(source, 0, 'x');
    const responses = await Promise.all(clients.map((client, index) => client.evalsha(sha1, 0, index)));
    expect(responses).toEqual(clients.map((_, index) => String(index)));
  });

  it('count in doubles: milliseconds since 1970 fit', async () => {
    const script = `
      local ms = tonumber(ARGV[1]) * 1000
      return {ms, ms .. '', ms + 1, string.format('%d', ms / 7), math.floor(ms / 1000), ms % 1000, 2^31 * 2}`;
    expect(await redis.eval(script, 0, '1700000000')).toEqual([
      1_700_000_000_000,
      '1700000000000',
      1_700_000_000_001,
      '242857142857',
      1_700_000_000,
      0,
      4_294_967_296,
    ]);
  });

  it('see one moment from their first line to their last', async () => {
    const script = `
      redis.call('SET', KEYS[1], 'x', 'PX', 5)
      local seen = 0
      for i = 1, 20000 do seen = seen + redis.call('EXISTS', KEYS[1]) end
      return seen`;
    expect(await redis.eval(script, 1, 'moment')).toBe(20_000);
  });

  it('keep what they wrote before they failed', async () => {
    const script = "redis.call('SET', KEYS[1], 'written') redis.call('INCR', KEYS[1]) return 'never'";
    await expect(redis.eval(script, 1, 'half')).rejects.toThrow(
      'ERR value is not an integer or out of range',
    );
    expect(await redis.get('half')).toBe('written');
  });

  it('hand bytes through unharmed, as keys, arguments, values and results', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const script = `
      redis.call('SET', KEYS[1], ARGV[1])
      local back = redis.call('GET', KEYS[1])
      return {back, #back, string.sub(ARGV[1], 1, 3)}`;
    const reply = await redis.callBuffer('EVAL', script, 1, bytes, bytes);
    expect(reply).toEqual([bytes, 256, Buffer.from([0, 1, 2])]);
  });

  it('can not leave anything behind for the next', async () => {
    for (const script of ['leak = 1', 'redis.leak = 1', 'string.sub = nil'])
      await expect(redis.eval(script, 0)).rejects.toThrow('Attempt to modify a readonly table');
    await expect(redis.eval('return leak', 0)).rejects.toThrow("nonexistent global variable 'leak'");
    expect(await redis.eval("KEYS[1] = 'changed' return KEYS[1]", 1, 'given')).toBe('changed');
    expect(await redis.eval('return KEYS[1]', 1, 'given')).toBe('given');
  });

  it.each(['os', 'io', 'require', 'debug', 'package', 'dofile', 'loadfile', 'print'])(
    'have no %s',
    async (name) => {
      await expect(redis.eval(`return ${name}`, 0)).rejects.toThrow(`nonexistent global variable '${name}'`);
    },
  );
}
