import { readdirSync, readFileSync } from 'node:fs';

/**
 * The product's files in a folder, and in those below it, that have something in their text.
 *
 * @returns their paths in the folder, with slashes, sorted
 */
export function filesWith(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.startsWith('testing/') && pattern.test(readFileSync(`${folder}/${file}`, 'utf8')))
    .toSorted();
}
