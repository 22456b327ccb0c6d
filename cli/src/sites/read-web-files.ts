import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file as it is served. */
export interface WebFile {
  readonly type: string;
  readonly body: Buffer;
  /** Present where it is shorter. */
  readonly compressed: Buffer | undefined;
  readonly etag: string;
  /** Its name changes with its content. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.txt': 'text/plain; charset=utf-8',
};

/** The files of a build by the path that they are served at: a few hundred kilobytes. */
export function readWebFiles(folder: string): ReadonlyMap<string, WebFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = file.slice(folder.length);
      return [path, toWebFile(path, readFileSync(file))];
    }),
  );
}

/** @param path decides on the type, and on how long browsers store the file */
export function toWebFile(path: string, body: Buffer): WebFile {
  const compressed = gzipSync(body);
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    body,
    compressed: compressed.length < body.length ? compressed : undefined,
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    isImmutable: path.startsWith('/assets/'),
  };
}
