import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = new URL('../../../../', import.meta.url);
const FOLDERS = ['auth-server', 'bench', 'cli', 'e2e', 'gateway', 'packages', 'scripts', 'services'];
const NOT_SOURCES = /(^|\/)(node_modules|dist|generated)\/|memory-redis\//;
const TESTS = /\.test\.ts$|\/(testing|proofs|conformance)\/|^(e2e|bench|scripts)\/|^packages\/testkit\//;

/** What connections, pipelines of them and nodes of a cluster are called wherever commands are sent. */
const CONNECTIONS = /\b(\w*[rR]edis|subscriber|connection|reading|pipeline|node|client)\s*\??\.([a-z]+)\(/g;
const SCRIPT_CALLS = /redis\.call\(\s*'(\w+)'/g;
const MEMBERS = /\b(string|table|math|redis|cjson|bit|struct|cmsgpack|coroutine|os)\.(\w+)/g;
const FUNCTIONS = /(?<![\w.:])([a-z_]+)\s*\(/g;
const FORMATS = /string\.format\(\s*'([^'\n]*)'/g;
const CONVERSIONS = /%[-+ #0]*\d*(?:\.\d+)?([a-zA-Z])/g;
const LOCAL_FUNCTIONS = /\bfunction\s+(\w+)/g;
const KEYWORDS = new Set(['and', 'elseif', 'function', 'if', 'in', 'not', 'or', 'return', 'until', 'while']);

/** A file of the repository. */
interface Source {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

/** What is called of Redis and of Lua. */
export interface UsesOfRedis {
  /** Names of methods of connections, and of commands in scripts, in lower case. */
  readonly methods: ReadonlySet<string>;
  /** `string.sub`, `tonumber`. */
  readonly functions: ReadonlySet<string>;
  /** Letters of the conversions of `string.format`. */
  readonly conversions: ReadonlySet<string>;
  /** The texts of Lua files by their paths. */
  readonly scripts: ReadonlyMap<string, string>;
}

/**
 * Reads the sources of what ships, or those of tests, proofs and benchmarks, for what they call of Redis.
 *
 * @param folders relative to the repository. @default all
 */
export function usesOfRedis(of: 'product' | 'tests', folders: readonly string[] = FOLDERS): UsesOfRedis {
  const sources = folders.flatMap(readSources).filter(({ path }) => TESTS.test(path) === (of === 'tests'));
  const scripts = sources.filter(({ path }) => path.endsWith('.lua'));
  const senders = sources.filter(({ path, text }) => path.endsWith('.ts') && /redis/i.test(text));
  const programs = [...scripts.map(({ text }) => text), ...senders.flatMap(scriptsWithin)];
  return {
    methods: new Set([
      ...senders.flatMap(({ text }) => [...text.matchAll(CONNECTIONS)].map(([, , method = '']) => method)),
      ...programs.flatMap((text) =>
        [...text.matchAll(SCRIPT_CALLS)].map(([, name = '']) => name.toLowerCase()),
      ),
    ]),
    functions: new Set(programs.flatMap(functionsOf)),
    conversions: new Set(programs.flatMap(conversionsOf)),
    scripts: new Map(scripts.map(({ path, text }) => [path, text])),
  };
}

function readSources(folder: string): Source[] {
  // with their types, links are not followed: those of `node_modules` lead from package to package, on and on
  return readdirSync(new URL(`${folder}/`, REPOSITORY), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(fileURLToPath(REPOSITORY), join(entry.parentPath, entry.name)))
    .filter((path) => /\.(ts|lua)$/.test(path) && !NOT_SOURCES.test(path))
    .map((path) => ({ path, text: readFileSync(new URL(path, REPOSITORY), 'utf8') }));
}

/** Scripts that stand in TypeScript. */
function scriptsWithin({ text }: Source): string[] {
  return [...text.matchAll(/`[^`]*`|'[^'\n]*'|"[^"\n]*"/g)]
    .map(([literal]) => literal)
    .filter((literal) => literal.includes('redis.call('));
}

function functionsOf(script: string): string[] {
  const text = script.replace(/--[^\n]*/g, '');
  const own = new Set([...text.matchAll(LOCAL_FUNCTIONS)].map(([, name]) => name));
  const code = text.replace(/'[^'\n]*'/g, "''");
  return [
    ...[...code.matchAll(MEMBERS)].map(([whole]) => whole),
    ...[...code.matchAll(FUNCTIONS)]
      .map(([, name = '']) => name)
      .filter((name) => !own.has(name) && !KEYWORDS.has(name)),
  ];
}

function conversionsOf(script: string): string[] {
  return [...script.matchAll(FORMATS)].flatMap(([, format = '']) =>
    [...format.matchAll(CONVERSIONS)].map(([, letter = '']) => letter),
  );
}
