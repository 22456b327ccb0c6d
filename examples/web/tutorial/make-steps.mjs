// @ts-check
// Makes the tutorial of docs/tutorial/: a repository of its own, with a commit for each step. `node make-steps.mjs FOLDER`
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Step
 * @property {string} page in docs/tutorial
 * @property {string} title of the commit
 * @property {readonly string[]} files of the application that it brings as they are: paths, folders with all below (`/**`), and
 *   exceptions after `!`. What the step needs in another form than the finished application is in `step-N/`.
 */

const tutorial = fileURLToPath(new URL('.', import.meta.url));
const application = resolve(tutorial, '..');
const repository = resolve(application, '../..');

const [folder] = process.argv.slice(2);
if (folder === undefined || existsSync(folder))
  fail('Name a folder that does not exist yet: make-steps.mjs FOLDER');
else makeRepository(resolve(folder));

/** @param {string} folder */
function makeRepository(folder) {
  /** @type {readonly Step[]} */
  const steps = JSON.parse(readFileSync(join(tutorial, 'steps.json'), 'utf8'));
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  writeProject(folder);
  for (const [index, step] of steps.entries()) {
    takeStep(folder, step, join(tutorial, `step-${index + 1}`));
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--message', `${index + 1}. ${step.title}`);
    git(folder, 'tag', `step-${index + 1}`);
  }
  process.stdout.write(`${folder} has ${steps.length} commits: git log --oneline\n`);
}

/** What surrounds the sources, without the repository that the application is part of. @param {string} folder */
function writeProject(folder) {
  const manifest = readJson(join(application, 'package.json'));
  writeJson(join(folder, 'package.json'), { ...manifest, name: 'tidings', description: undefined });
  const base = readJson(join(repository, 'tsconfig.base.json')).compilerOptions;
  const { extends: _base, compilerOptions, ...rest } = readJson(join(application, 'tsconfig.json'));
  writeJson(join(folder, 'tsconfig.json'), { compilerOptions: { ...base, ...compilerOptions }, ...rest });
  const codegen = readFileSync(join(application, 'codegen.ts'), 'utf8');
  writeFileSync(join(folder, 'codegen.ts'), codegen.replace('../../docs/api.graphql', './api.graphql'));
  cpSync(join(repository, 'docs/api.graphql'), join(folder, 'api.graphql'));
  writeFileSync(join(folder, '.gitignore'), 'node_modules\ndist\n');
}

/**
 * @param {string} folder
 * @param {Step} step
 * @param {string} ownForms
 */
function takeStep(folder, step, ownForms) {
  for (const path of filesBelow(application)) if (brings(step, path)) copy(application, path, folder);
  if (existsSync(ownForms)) for (const path of filesBelow(ownForms)) copy(ownForms, path, folder);
}

/**
 * @param {Step} step
 * @param {string} path
 */
function brings({ files }, path) {
  /** @param {string} pattern */
  const matches = (pattern) =>
    pattern.endsWith('/**') ? path.startsWith(pattern.slice(0, -'**'.length)) : path === pattern;
  const isExcepted = files.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1)));
  return !isExcepted && files.some(matches);
}

/**
 * @param {string} root
 * @param {string} [below]
 * @returns {readonly string[]} paths from the root
 */
function filesBelow(root, below = '') {
  const ignored = new Set(['node_modules', 'dist', 'tutorial']);
  return readdirSync(join(root, below))
    .filter((name) => !ignored.has(name))
    .map((name) => (below === '' ? name : `${below}/${name}`))
    .flatMap((path) => (statSync(join(root, path)).isDirectory() ? filesBelow(root, path) : [path]));
}

/**
 * @param {string} from
 * @param {string} path
 * @param {string} to
 */
function copy(from, path, to) {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  cpSync(join(from, path), join(to, path));
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * @param {string} file
 * @param {object} value
 */
function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

/**
 * @param {string} folder
 * @param {readonly string[]} args
 */
function git(folder, ...args) {
  const identity = [
    '-c',
    'user.name=Trellis',
    '-c',
    'user.email=tutorial@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(64);
}
