import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Copies what git knows of a checkout, changes that are not committed included, and links its installed packages: a change in
 * the copy reaches nothing else. Links between packages of the workspace lead to those of the copy.
 *
 * @param to an empty directory
 */
export function copyCheckout(from: string, to: string): void {
  const files = listFiles(from);
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(from, file), join(to, file));
  }
  const packages = files.filter((file) => /(?:^|\/)package\.json$/.test(file)).map((file) => dirname(file));
  for (const folder of packages) linkInstalled(join(from, folder), join(to, folder));
}

function listFiles(checkout: string): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
  });
  return listed.split('\0').filter((file) => file !== '' && existsSync(join(checkout, file)));
}

function linkInstalled(from: string, to: string): void {
  const installed = join(from, 'node_modules');
  if (existsSync(installed)) linkEntries(installed, join(to, 'node_modules'));
}

/** Relative links stay as they are; what they lead to below `.pnpm` is that of the original. */
function linkEntries(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const entry = join(from, name);
    if (lstatSync(entry).isSymbolicLink()) symlinkSync(readlinkSync(entry), join(to, name));
    else if (name.startsWith('@')) linkEntries(entry, join(to, name));
    else if (name === '.pnpm' || name === '.bin') symlinkSync(entry, join(to, name));
  }
}
