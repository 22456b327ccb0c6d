import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { builtFolder, clientFolder, digestOfClient } from './client-sources.ts';
import { writeLicences } from './write-licences.ts';
import { CODINGS, MANIFEST, type Manifest } from './manifest.ts';

const SCRIPT = 'main.tsx';
const STYLE = 'style.css';

/**
 * Builds the page's files, each named by its content and compressed in advance. They appear as a whole: several processes may
 * build at a time.
 */
export async function buildClient(): Promise<void> {
  const digest = digestOfClient();
  mkdirSync(dirname(builtFolder), { recursive: true });
  const folder = mkdtempSync(`${builtFolder}-`);
  chmodSync(folder, 0o755); // temporary folders are for their owner alone
  const metafile = await bundle(folder);
  const licences = writeLicences(metafile, folder);
  const files = [...Object.keys(metafile.outputs).map((path) => basename(path)), licences];
  await Promise.all(files.map((file) => compressFile(join(folder, file))));
  const manifest: Manifest = {
    digest,
    files,
    script: outputOf(metafile, SCRIPT),
    style: outputOf(metafile, STYLE),
  };
  writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest));
  replaceFolder(folder);
}

async function bundle(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: clientFolder,
    entryPoints: [SCRIPT, STYLE],
    outdir: folder,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'eof',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    conditions: ['browser', 'production'],
    metafile: true,
    logLevel: 'silent', // what fails is thrown
  });
  return metafile;
}

function outputOf({ outputs }: Metafile, entry: string): string {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  if (!found) throw new Error(`Nothing was built of ${entry}.`);
  return basename(found[0]);
}

/** The quality of Brotli that costs a fraction of the best one, and a few bytes in a hundred. */
const BROTLI_QUALITY = 9;

async function compressFile(path: string): Promise<void> {
  const content = readFileSync(path);
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  writeFileSync(path + CODINGS.br, brotli);
  writeFileSync(path + CODINGS.gzip, gzipped);
}

/** Another process may have been faster: its files are as good. */
function replaceFolder(folder: string): void {
  rmSync(builtFolder, { recursive: true, force: true });
  try {
    renameSync(folder, builtFolder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
  }
}
