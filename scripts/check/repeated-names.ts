import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, type Declaration, type ExportNamedDeclaration, type Program } from 'oxc-parser';

/** Tests export nothing; generated code takes its names from elsewhere, such as a schema. */
const PASSED_OVER = /\.(?:test|d)\.ts$|(?:^|\/)generated\//;

/**
 * Finds names that two files of a deployable export, each for a thing of its own: who searches for a name then finds the wrong one.
 *
 * @param directory the repository
 * @param folders of sources, one for each deployable, relative to it
 * @returns what is wrong, one sentence each
 */
export function checkRepeatedNames(directory: string, folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => {
    const paths = readdirSync(join(directory, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !PASSED_OVER.test(path))
      .toSorted();
    const texts = paths.map((path) => [path, readFileSync(join(directory, folder, path), 'utf8')] as const);
    return findRepeatedNames(new Map(texts)).map((problem) => `${folder}: ${problem}`);
  });
}

/** @returns what is wrong with files of one deployable, by their paths, one sentence each */
export function findRepeatedNames(files: ReadonlyMap<string, string>): readonly string[] {
  const places = new Map<string, string[]>();
  for (const [path, text] of files)
    for (const name of namesExportedBy(path, text)) places.set(name, [...(places.get(name) ?? []), path]);
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name} is exported by ${paths.join(' and ')}. Give each thing its own name.`);
}

/** What a file declares and exports; what it passes on is a thing of another file. */
function namesExportedBy(path: string, text: string): ReadonlySet<string> {
  const { program } = parseSync(path, text);
  const imported = namesImportedBy(program);
  const exported = program.body
    .filter((node) => node.type === 'ExportNamedDeclaration')
    .flatMap((node) => namesOf(node))
    .filter((name) => !imported.has(name));
  return new Set(exported);
}

function namesImportedBy({ body }: Program): ReadonlySet<string> {
  return new Set(
    body
      .filter((node) => node.type === 'ImportDeclaration')
      .flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name)),
  );
}

function namesOf({ declaration, source, specifiers }: ExportNamedDeclaration): readonly string[] {
  if (source) return [];
  if (declaration) return namesDeclaredBy(declaration);
  return specifiers.flatMap(({ local }) => (local.type === 'Identifier' ? [local.name] : []));
}

function namesDeclaredBy(declaration: Declaration): readonly string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  const id = 'id' in declaration ? declaration.id : undefined;
  return id?.type === 'Identifier' ? [id.name] : [];
}
