import { createHash } from 'node:crypto';
import type { Bytes } from '../bytes.ts';
import { RedisError } from '../errors.ts';
import { errorReply, type Reply } from '../protocol/reply.ts';
import type { Client } from '../clients/client.ts';
import { auxiliary, fromLuaString, lua, toLuaString, type LuaFunction, type LuaState } from './fengari.ts';
import { requireLua51 } from './lua-51-syntax.ts';
import { pushBytes, pushList, pushTagged, readBytes, readField, setField } from './lua-values.ts';
import { oneLine, readReply } from './reply-conversion.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';

/** What a script is called with. */
export interface ScriptCall {
  readonly keys: readonly Bytes[];
  readonly args: readonly Bytes[];
  readonly client: Client;
}

/** What scripts reach outside of the engine. */
export interface ScriptEngineOptions {
  /** @throws RedisError with what the script gets as its error */
  readonly runCommand: (client: Client, request: readonly Bytes[]) => Reply;
  readonly reportFailure: (error: unknown) => void;
  /** Milliseconds; a script that takes longer fails, what it has written stays. @default 5_000 */
  readonly timeLimitMs?: number;
  /** Compiled scripts that are stored; the one unused for longest goes. @default 1_000 */
  readonly maxScripts?: number;
}

const INSTRUCTIONS_BETWEEN_CHECKS = 100_000;
const CHUNK_NAME = '@user_script';

/**
 * Compiles and runs scripts of Lua, one at a time: nothing else happens on the server while one runs. The state of Lua is
 * opened when the first script comes.
 */
export class ScriptEngine {
  readonly #options: Required<ScriptEngineOptions>;
  /** From hash to the place of the compiled function in Lua's registry. */
  readonly #compiled = new Map<Bytes, number>();
  #sandbox: Sandbox | undefined;
  #running: ScriptCall | undefined;

  constructor(options: ScriptEngineOptions) {
    this.#options = { timeLimitMs: 5_000, maxScripts: 1_000, ...options };
  }

  has(sha1: Bytes): boolean {
    return this.#compiled.has(sha1);
  }

  /**
   * Compiles a script, unless that was done before.
   *
   * @returns its SHA-1 in lower case
   * @throws RedisError when it does not compile
   */
  load(source: Bytes): Bytes {
    const sha1 = createHash('sha1').update(source, 'latin1').digest('hex');
    if (!this.#compiled.has(sha1)) this.#keep(sha1, compile(this.#open().state, source));
    return sha1;
  }

  /**
   * Runs a script that is loaded.
   *
   * @returns what it returned; an error reply when it failed
   */
  run(sha1: Bytes, call: ScriptCall): Reply {
    const reference = this.#compiled.get(sha1);
    if (reference === undefined) throw new Error(`Script ${sha1} is not loaded.`);
    this.#keep(sha1, reference);
    const sandbox = this.#open();
    this.#running = call;
    try {
      return runCompiled(sandbox, reference, sha1, call, this.#options.timeLimitMs);
    } finally {
      this.#running = undefined;
      lua.lua_settop(sandbox.state, 0);
    }
  }

  #open(): Sandbox {
    const { reportFailure } = this.#options;
    return (this.#sandbox ??= createSandbox({ call: (request) => this.#call(request), reportFailure }));
  }

  #call(request: readonly Bytes[]): Reply {
    if (this.#running === undefined) throw new RedisError('ERR redis.call() outside of a script');
    return this.#options.runCommand(this.#running.client, request);
  }

  /** The most recently used are last. */
  #keep(sha1: Bytes, reference: number): void {
    this.#compiled.delete(sha1);
    this.#compiled.set(sha1, reference);
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size > this.#options.maxScripts && oldest !== undefined) this.#forget(oldest);
  }

  #forget(sha1: Bytes): void {
    const reference = this.#compiled.get(sha1);
    this.#compiled.delete(sha1);
    if (reference !== undefined) auxiliary.luaL_unref(this.#open().state, lua.LUA_REGISTRYINDEX, reference);
  }
}

function compile(state: LuaState, source: Bytes): number {
  requireLua51(source);
  const code = toLuaString(source);
  const status = auxiliary.luaL_loadbufferx(
    state,
    code,
    code.length,
    toLuaString(CHUNK_NAME),
    toLuaString('t'),
  );
  if (status === lua.LUA_OK) return auxiliary.luaL_ref(state, lua.LUA_REGISTRYINDEX);
  const problem = readBytes(state, -1) ?? '';
  lua.lua_settop(state, 0);
  throw new RedisError(`ERR Error compiling script (new function): ${oneLine(problem)}`);
}

function runCompiled(
  sandbox: Sandbox,
  reference: number,
  sha1: Bytes,
  call: ScriptCall,
  timeLimitMs: number,
): Reply {
  const { state } = sandbox;
  setInputs(sandbox, call);
  limitTime(state, timeLimitMs);
  lua.lua_pushcfunction(state, describeError);
  lua.lua_rawgeti(state, lua.LUA_REGISTRYINDEX, reference);
  const status = lua.lua_pcall(state, 0, 1, 1);
  return status === lua.LUA_OK ? readReply(state) : readError(state, sha1);
}

function setInputs({ state, globals }: Sandbox, { keys, args }: ScriptCall): void {
  lua.lua_rawgeti(state, lua.LUA_REGISTRYINDEX, globals);
  pushList(state, keys);
  setField(state, -2, 'KEYS');
  pushList(state, args);
  setField(state, -2, 'ARGV');
  lua.lua_settop(state, 0);
}

/** Once the time is up every instruction fails, so that no pcall of the script can go on after it. */
function limitTime(state: LuaState, timeLimitMs: number): void {
  const deadline = performance.now() + timeLimitMs;
  const check = (current: LuaState): void => {
    if (performance.now() < deadline) return;
    lua.lua_sethook(current, check, lua.LUA_MASKCOUNT, 1);
    auxiliary.luaL_error(
      current,
      toLuaString(`Script ended by force: it ran for more than ${timeLimitMs} ms`),
    );
  };
  lua.lua_sethook(state, check, lua.LUA_MASKCOUNT, INSTRUCTIONS_BETWEEN_CHECKS);
}

/** Runs where the error happened: makes a table of it, with the place. */
const describeError: LuaFunction = (state) => {
  if (lua.lua_type(state, 1) !== lua.LUA_TTABLE) {
    pushTagged(state, 'err', `ERR ${readBytes(state, 1) ?? 'nil'}`);
    lua.lua_insert(state, 1);
    lua.lua_settop(state, 1);
  }
  const place = findPlace(state);
  if (place !== undefined) {
    pushBytes(state, place);
    setField(state, 1, 'place');
  }
  return 1;
};

/** The innermost line of the script itself: what failed may be a function of the server, called from there. */
function findPlace(state: LuaState): Bytes | undefined {
  const info = new lua.lua_Debug();
  for (let level = 1; lua.lua_getstack(state, level, info) !== 0; level += 1) {
    lua.lua_getinfo(state, toLuaString('Sl'), info);
    const source = info.source === undefined ? '' : fromLuaString(info.source);
    if (source === CHUNK_NAME) return `${source}:${info.currentline ?? -1}`;
  }
  return undefined;
}

function readError(state: LuaState, sha1: Bytes): Reply {
  const table = lua.lua_type(state, -1) === lua.LUA_TTABLE;
  const message = (table ? readField(state, -1, 'err') : readBytes(state, -1)) ?? 'ERR unknown error';
  const place = table ? readField(state, -1, 'place') : undefined;
  const where = place === undefined ? '' : `, on ${place}.`;
  return errorReply(oneLine(`${message} script: ${sha1}${where}`));
}
