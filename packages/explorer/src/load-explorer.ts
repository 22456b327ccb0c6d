import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { builtFolder, digestOfClient } from './client-sources.ts';
import { CODINGS, MANIFEST, type Coding, type Manifest } from './manifest.ts';

/** A file of the page. */
export interface AssetFile {
  readonly contentType: string;
  readonly content: Buffer;
  /** The same, compressed. */
  readonly compressed: Readonly<Record<Coding, Buffer>>;
}

/** The files of the page. Each is named by its content. */
export interface ExplorerAssets {
  /** Name of the module that the page runs. */
  readonly script: string;
  readonly style: string;
  readonly files: ReadonlyMap<string, AssetFile>;
}

/** The page was not built, and this is not a development checkout that could build it. */
export class AssetsMissing extends Error {
  override readonly name = 'AssetsMissing';
}

/** What is compiled serves what was built with it; TypeScript builds what its sources say. */
const isSource = import.meta.url.endsWith('.ts');

/**
 * Reads the explorer's files. In a development checkout they are built before, unless that has happened since the last change.
 *
 * @throws AssetsMissing
 */
export async function loadExplorer(): Promise<ExplorerAssets> {
  if (isSource && readManifest()?.digest !== digestOfClient()) {
    const { buildClient } = await import('./build-client.ts');
    await buildClient();
  }
  const manifest = readManifest();
  if (!manifest) throw new AssetsMissing('The explorer is not built: "npm run build" does it.');
  const { script, style, files } = manifest;
  return { script, style, files: new Map(files.map((file) => [file, readAsset(file)])) };
}

function readManifest(): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(builtFolder, MANIFEST), 'utf8')) as Manifest; // our own file
  } catch {
    return undefined;
  }
}

const CONTENT_TYPES: Readonly<Record<string, string>> = { '.css': 'text/css', '.js': 'text/javascript' };

function readAsset(file: string): AssetFile {
  const path = join(builtFolder, file);
  return {
    contentType: `${CONTENT_TYPES[extname(file)] ?? 'text/plain'}; charset=utf-8`,
    content: readFileSync(path),
    compressed: { br: readFileSync(path + CODINGS.br), gzip: readFileSync(path + CODINGS.gzip) },
  };
}
