import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { gatewayErrorCodes, rejected, RequestError } from '../../errors.ts';
import type { GraphRequest } from '../../request/context.ts';
import type { ArrivingFile, Uploads } from '../../request/uploads.ts';
import type { SettingsInForce } from '../../settings/settings.ts';
import type { RequestBounds } from '../message/read-request.ts';
import { ArrivingFiles, drain } from './arriving-files.ts';
import { readUploadRequest } from './upload-request.ts';

/** How much a request with files may send. */
export type UploadBounds = NonNullable<SettingsInForce['uploads']>;

/** A request, and its files while they arrive. */
export interface ReceivedUpload {
  readonly request: GraphRequest;
  readonly uploads: Uploads;
  /** Reads what is left of the body, so that the connection can be used again. */
  close(): void;
}

/** Heads of parts and boundaries, of each part. */
const PART_OVERHEAD_BYTES = 16_384;

/** Before the body is read. @throws RequestError PAYLOAD_TOO_LARGE for one that says itself that it is larger than any may be */
export function assertUploadLength(
  { 'content-length': length }: { readonly 'content-length'?: string | undefined },
  { files, fileBytes, partBytes }: UploadBounds,
): void {
  const max = files * fileBytes + 2 * partBytes + (files + 2) * PART_OVERHEAD_BYTES;
  if (Number(length) > max) throw tooLarge('The body', max);
}

const NAME_BYTES = 200;
const HEADERS_PER_PART = 10;

/**
 * Reads a `multipart/form-data` body up to its first file. The files follow while the operation runs.
 *
 * @throws RequestError BAD_REQUEST, PAYLOAD_TOO_LARGE, UPLOAD_OUT_OF_ORDER, UPLOAD_NOT_FORWARDABLE; the body is drained then
 */
export function readUpload(
  body: Readable,
  contentType: string,
  uploads: UploadBounds,
  bounds: RequestBounds,
): Promise<ReceivedUpload> {
  return new Promise((resolve, reject) => {
    new UploadReader(body, { uploads, bounds }, resolve, reject).read(contentType);
  });
}

interface ReaderBounds {
  readonly uploads: UploadBounds;
  readonly bounds: RequestBounds;
}

/** Takes the parts of one body in their order: `operations`, `map`, then files. */
class UploadReader {
  readonly #body: Readable;
  readonly #bounds: ReaderBounds;
  readonly #resolve: (received: ReceivedUpload) => void;
  readonly #reject: (failure: Error) => void;
  #operations: string | undefined;
  #files: ArrivingFiles | undefined;
  #hasFailed = false;

  constructor(
    body: Readable,
    bounds: ReaderBounds,
    resolve: (received: ReceivedUpload) => void,
    reject: (failure: Error) => void,
  ) {
    this.#body = body;
    this.#bounds = bounds;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  read(contentType: string): void {
    try {
      const parser = this.#parser(contentType);
      parser.on('field', (name, value, _nameCut, isCut) => this.#try(() => this.#field(name, value, isCut)));
      parser.on('file', (name, bytes, filename, _encoding, mediaType) =>
        this.#try(() => this.#file(name, bytes, { filename, mediaType, bytes })),
      );
      parser.on('filesLimit', () => this.#fail(tooManyParts()));
      parser.on('fieldsLimit', () => this.#fail(notAFile()));
      parser.on('finish', () => this.#end());
      parser.on('error', (error) => this.#fail(malformed(error)));
      this.#body.once('close', () => this.#bodyClosed());
      this.#body.pipe(parser);
    } catch (error) {
      this.#fail(malformed(error));
    }
  }

  #parser(contentType: string): BusboyInstance {
    const { files, fileBytes, partBytes } = this.#bounds.uploads;
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldNameSize: NAME_BYTES,
        fieldSize: partBytes + 1, // one byte more shows that it is too large
        fields: 2,
        fileSize: fileBytes,
        files: files + 1,
        headerPairs: HEADERS_PER_PART,
      },
    });
  }

  #try(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(error as Error); // RequestError
    }
  }

  #field(name: string, value: string, isCut: boolean): void {
    const { partBytes, files } = this.#bounds.uploads;
    if (isCut || Buffer.byteLength(value) > partBytes)
      throw tooLarge(`The part "${name === 'map' ? name : 'operations'}"`, partBytes);
    if (this.#operations === undefined && name === 'operations') this.#operations = value;
    else if (this.#operations !== undefined && !this.#files && name === 'map') {
      const { request, keys } = readUploadRequest(this.#operations, value, this.#bounds.bounds, files);
      const arriving = new ArrivingFiles(keys);
      this.#files = arriving;
      this.#resolve({ request, uploads: arriving, close: () => this.#close() });
    } else throw wrongParts();
  }

  #file(name: string, bytes: BusboyFileStream, file: ArrivingFile): void {
    const { fileBytes } = this.#bounds.uploads;
    bytes.on('error', () => undefined); // the parser reports it as well
    bytes.once('limit', () => this.#fail(tooLarge(`The file "${name}"`, fileBytes)));
    if (this.#files && !this.#hasFailed) return this.#files.arrive(name, file);
    bytes.resume();
    throw wrongParts();
  }

  #end(): void {
    if (this.#hasFailed) return;
    if (this.#files) this.#files.end();
    else this.#fail(wrongParts());
  }

  #close(): void {
    if (this.#body.readableEnded) return;
    this.#hasFailed = true; // what comes now concerns no one
    drain(this.#body);
  }

  /** Without its end: the client has left, or was too slow. */
  #bodyClosed(): void {
    if (!this.#body.readableEnded)
      this.#fail(rejected('BAD_REQUEST', 'The body ended before its last part.'));
  }

  #fail(failure: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#files?.fail(failure);
    this.#reject(failure); // of no effect once the request is read
    drain(this.#body);
  }
}

function wrongParts(): RequestError {
  return rejected(
    'UPLOAD_OUT_OF_ORDER',
    'The parts of the body are "operations", "map" and then the files, in this order.',
  );
}

function notAFile(): RequestError {
  return rejected('BAD_REQUEST', 'A part behind "operations" and "map" is no file: it has no filename.');
}

function tooManyParts(): RequestError {
  return rejected('BAD_REQUEST', 'The body has more files than the map.');
}

function tooLarge(what: string, max: number): RequestError {
  return rejected('PAYLOAD_TOO_LARGE', `${what} is too large. The maximum is ${max} bytes.`);
}

function malformed(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  return rejected(
    'BAD_REQUEST',
    `${gatewayErrorCodes.BAD_REQUEST.summary} Its body is not multipart/form-data.`,
  );
}
