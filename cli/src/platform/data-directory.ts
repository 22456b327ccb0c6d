import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * What keeps a directory from holding data, in words. Nothing is created: of one that does not exist, the nearest that is
 * above it is looked at.
 *
 * @param directory absolute
 */
export function problemOfDirectory(directory: string): string | undefined {
  const existing = nearestExisting(directory);
  if (!statSync(existing).isDirectory()) return `must be a directory, and ${existing} is none`;
  return isWritable(existing) ? undefined : `must be writable, and this user may not write to ${existing}`;
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
