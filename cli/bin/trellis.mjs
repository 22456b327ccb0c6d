#!/usr/bin/env node
// @ts-check
// The program `trellis`. In a checkout it is started as the npm scripts start it: from its sources, with what is missing
// installed first. Installed as a package it runs what was compiled.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url));
const args = process.argv.slice(2);
if (existsSync(launcher)) await runFromSources();
else await import(new URL('../dist/main.js', import.meta.url).href);

/** Ends as the program ends; signals that a terminal sends reach both, others are passed on. */
async function runFromSources() {
  const child = spawn(process.execPath, [...nodeOptions(), launcher, 'trellis', ...args], {
    stdio: 'inherit',
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
  const [status, signal] = await new Promise((resolve) => child.on('exit', (...ending) => resolve(ending)));
  process.exitCode = signal ? 1 : (status ?? 1);
}

/** What package.json gives to the command's npm script: the condition that finds sources, and the room of the gateway's heap. */
function nodeOptions() {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const script = Object.hasOwn(scripts, args[0] ?? '') ? scripts[args[0] ?? ''] : scripts.start;
  return script.split(' ').filter((/** @type {string} */ word) => word.startsWith('--'));
}
