import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { isMediaType } from '@trellis/http1/fields';
import { filesIn, type Uploads } from '../request/uploads.ts';
import type { StreamedBody } from '../subgraphs/connections/secure-pool.ts';
import { ownVariable, type Variables } from '../operation/document/decided-conditions.ts';

/** The places of files in the variables of one fetch, by the names of their parts. */
type PlacesByKey = ReadonlyMap<string, readonly string[]>;

/**
 * The body of a fetch whose variables have files, as `multipart/form-data`. Each file is passed on while it arrives.
 *
 * @param operations the JSON text of the request, with null in the place of each file
 * @returns nothing where it takes none
 * @see https://github.com/jaydenseric/graphql-multipart-request-spec
 */
export function uploadBody(
  operations: string,
  variableNames: readonly string[],
  variables: Variables,
  uploads: Uploads,
): StreamedBody | undefined {
  const places = placesOf(variableNames, variables);
  if (places.size === 0) return undefined;
  const boundary = `trellis-${randomBytes(16).toString('hex')}`;
  const keys = uploads.keys.filter((key) => places.has(key)); // in the order in which they come
  const bytes = Readable.from(partsOf(boundary, operations, keys, places, uploads), { objectMode: false });
  bytes.once('close', () => uploads.drop(keys)); // a subgraph that wants no more of them must not stop those behind
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes };
}

function placesOf(variableNames: readonly string[], variables: Variables): PlacesByKey {
  const places = new Map<string, string[]>();
  for (const name of variableNames)
    for (const { file, path } of filesIn(ownVariable(variables, name))) {
      const place = ['variables', name, ...path].join('.');
      places.set(file.key, [...(places.get(file.key) ?? []), place]);
    }
  return places;
}

async function* partsOf(
  boundary: string,
  operations: string,
  keys: readonly string[],
  places: PlacesByKey,
  uploads: Uploads,
): AsyncGenerator<Uint8Array | string> {
  const map = Object.fromEntries(keys.map((key, index) => [String(index), places.get(key)]));
  yield `${fieldHead(boundary, 'operations')}${operations}\r\n`;
  yield `${fieldHead(boundary, 'map')}${JSON.stringify(map)}\r\n`;
  for (const [index, key] of keys.entries()) {
    const { filename, mediaType, bytes } = await uploads.take(key);
    yield fileHead(boundary, String(index), filename, mediaType);
    for await (const chunk of bytes.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array; // no encoding is set
    yield '\r\n';
  }
  yield `--${boundary}--\r\n`;
}

function fieldHead(boundary: string, name: string): string {
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`;
}

function fileHead(boundary: string, name: string, filename: string, mediaType: string): string {
  return (
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${quotable(filename)}"\r\n` +
    `content-type: ${isMediaType(mediaType) ? mediaType : 'application/octet-stream'}\r\n\r\n`
  );
}

/** As browsers write it: no line ends, and no quote ends the name. @see HTML standard, "multipart/form-data encoding algorithm" */
function quotable(filename: string): string {
  return filename.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character));
}
