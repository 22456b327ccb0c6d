import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { clientFolder } from './client-sources.ts';

/** File name of the licences. */
const LICENCES = 'licences.txt';

/** Writes the licences of all packages that are in the bundle beside it, as they ask for. @returns the file's name */
export function writeLicences({ inputs }: Pick<Metafile, 'inputs'>, folder: string): string {
  const folders = new Set(Object.keys(inputs).flatMap(packageFolderOf));
  const texts = [...folders].toSorted().map(licenceOf);
  writeFileSync(join(folder, LICENCES), texts.join('\n\n'));
  return LICENCES;
}

/** @param input as the bundler names it, relative to the client's folder */
function packageFolderOf(input: string): readonly string[] {
  const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(resolve(clientFolder, input));
  return found ? [found[0]] : [];
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Manifest; // a package's own
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? license : readFileSync(join(folder, file), 'utf8');
  return `${name} ${version}\n\n${text}`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}
