import { fileNameProblem } from '@trellis/runtime/admission';
import {
  maxUploadBytes,
  placeFiles,
  readUpload,
  type ReceivedUpload,
} from '@trellis/subgraph-protocol/uploads';
import type { Readable } from 'node:stream';
import { rejected } from '../../errors.ts';
import type { GraphRequest } from '../../request/context.ts';
import { FilePlaceholder } from '../../request/uploads.ts';
import type { SettingsInForce } from '../../settings/settings.ts';
import { readBody, type RequestBounds } from '../message/read-request.ts';

type Bounds = NonNullable<SettingsInForce['uploads']>;

/** Before the body is read. @throws RequestError PAYLOAD_TOO_LARGE for one that says itself that it is larger than any may be */
export function assertUploadLength(
  { 'content-length': length }: { readonly 'content-length'?: string | undefined },
  bounds: Bounds,
): void {
  const max = maxUploadBytes(bounds);
  if (Number(length) > max)
    throw rejected('PAYLOAD_TOO_LARGE', `The body is too large. The maximum is ${max} bytes.`);
}

/**
 * Reads a request with files up to its first file, and puts placeholders where the files belong. They follow while the operation runs.
 *
 * @throws RequestError BAD_REQUEST, PAYLOAD_TOO_LARGE, UPLOAD_OUT_OF_ORDER, UPLOAD_NOT_FORWARDABLE; the body is drained then
 */
export function readUploadRequest(
  body: Readable,
  contentType: string,
  bounds: Bounds,
  limits: RequestBounds,
): Promise<ReceivedUpload<GraphRequest>> {
  const readRequest = (operations: string, map: string) => {
    const read = readBody(Buffer.from(operations), limits);
    if (read.kind === 'batch')
      throw rejected('UPLOAD_NOT_FORWARDABLE', 'A batch has no files. Send the operation alone.');
    const { request } = read;
    const fileOf = (key: string): FilePlaceholder => new FilePlaceholder(key);
    const rules = { maxFiles: bounds.files, fileOf, errorOf: rejected };
    return { request, keys: placeFiles(request.variables, map, rules) };
  };
  const nameProblem = (name: string): string | undefined => fileNameProblem(name, limits);
  return readUpload(body, contentType, { bounds, readRequest, errorOf: rejected, nameProblem });
}
