#!/usr/bin/env node
// @ts-check
// The program `trellis`. In a checkout it is started as the npm scripts start it: from its sources, with what is missing
// installed first. Installed as a package it runs what was compiled.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * What ends after some seconds has less of it compiled to fast code than what serves for days: V8's own figure is 67,584. Later versions than
 * that of Node 20 have no such flag.
 */
const COMPILED_LATER = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=264000'] : [];

const args = process.argv.slice(2);
const repository = new URL('../../', import.meta.url);
if (existsSync(new URL('pnpm-workspace.yaml', repository))) await run([...launcher(), 'trellis']);
else await runInstalled(await heapFlags());

/**
 * Runs Node with the flags it was started with, what it is given and our arguments, and ends as it ends. A terminal sends its interrupts to both; other
 * signals are passed on.
 *
 * @param {readonly string[]} command
 */
async function run(command) {
  const child = spawn(process.execPath, [...process.execArgv, ...command, ...args], { stdio: 'inherit' });
  process.on('SIGINT', () => undefined);
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal));
  const [status, signal] = await new Promise((resolve) => child.on('exit', (...ending) => resolve(ending)));
  process.exitCode = signal ? 1 : (status ?? 1);
}

/**
 * What the command's npm script gives to node: the condition that finds sources, the room of the gateway's heap, and the
 * program that installs what is missing.
 */
function launcher() {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', repository), 'utf8'));
  const script = Object.hasOwn(scripts, args[0] ?? '') ? scripts[args[0] ?? ''] : scripts.start;
  const words = script.replace(/^exec node /, '').split(' ');
  const options = words.filter((/** @type {string} */ word) => word.startsWith('--'));
  const file = words.find((/** @type {string} */ word) => word.endsWith('.mjs'));
  return [...options, fileURLToPath(new URL(file, repository))];
}

/** @param {readonly string[]} flags of Node; without one, this process runs the command */
async function runInstalled(flags) {
  const program = new URL('../dist/main.js', import.meta.url);
  if (flags.length === 0) await import(program.href);
  else await run([...flags, fileURLToPath(program)]);
}

/** The room of the command's heap, which a process can only be given when it is started. */
async function heapFlags() {
  const [command = '', subcommand = ''] = args;
  const judges = isJudging(command === 'supergraph' ? subcommand : command);
  if (command !== 'gateway' && !judges) return [];
  const { HEAP_FLAGS } = await import('@trellis/gateway/heap-flags');
  return judges ? [...HEAP_FLAGS, ...COMPILED_LATER] : HEAP_FLAGS;
}

/** Whether it proves orders of deployment: like the gateway it plans thousands of operations, whose objects are gone a moment later. */
function isJudging(/** @type {string} */ command) {
  return ['check', 'publish', 'promote', 'rollback'].includes(command);
}
