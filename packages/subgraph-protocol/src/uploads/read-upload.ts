import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { ArrivingFiles, drain, type ArrivingFile, type UploadErrorFactory } from './arriving-files.ts';

/** How much a request with files may send. */
export interface UploadBounds {
  readonly files: number;
  /** Of one file. */
  readonly fileBytes: number;
  /** Of the part `operations`, and of the part `map`. */
  readonly partBytes: number;
}

/** What {@link readUpload} makes of the first two parts. */
export interface UploadRequest<Request> {
  readonly request: Request;
  /** Names of the files' parts, in the order of the map. */
  readonly keys: readonly string[];
}

/** A request, and its files while they arrive. */
export interface ReceivedUpload<Request> {
  readonly request: Request;
  readonly files: ArrivingFiles;
  /** Reads what is left of the body, so that the connection can be used again. */
  close(): void;
}

/** How {@link readUpload} reads. */
export interface UploadRules<Request> {
  readonly bounds: UploadBounds;
  /** Reads the parts `operations` and `map`. */
  readonly readRequest: (operations: string, map: string) => UploadRequest<Request>;
  readonly errorOf: UploadErrorFactory;
  /** What is wrong with the name or the media type of a file, to be said after it; undefined where nothing is. */
  readonly nameProblem: (name: string) => string | undefined;
}

/** Heads of parts and boundaries, of each part. */
const PART_OVERHEAD_BYTES = 16_384;

/** The largest body that the bounds allow. */
export function maxUploadBytes({ files, fileBytes, partBytes }: UploadBounds): number {
  return files * fileBytes + 2 * partBytes + (files + 2) * PART_OVERHEAD_BYTES;
}

const NAME_BYTES = 200;
const HEADERS_PER_PART = 10;

/**
 * Reads a `multipart/form-data` body up to its first file. The files follow while the operation runs.
 *
 * @throws Error by the rules, or of `readRequest`; the body is drained then
 * @see https://github.com/jaydenseric/graphql-multipart-request-spec
 */
export function readUpload<Request>(
  body: Readable,
  contentType: string,
  rules: UploadRules<Request>,
): Promise<ReceivedUpload<Request>> {
  return new Promise((resolve, reject) => {
    new UploadReader(body, rules, resolve, reject).read(contentType);
  });
}

/** Takes the parts of one body in their order: `operations`, `map`, then files. */
class UploadReader<Request> {
  readonly #body: Readable;
  readonly #rules: UploadRules<Request>;
  readonly #resolve: (received: ReceivedUpload<Request>) => void;
  readonly #reject: (failure: Error) => void;
  #operations: string | undefined;
  #files: ArrivingFiles | undefined;
  #hasFailed = false;

  constructor(
    body: Readable,
    rules: UploadRules<Request>,
    resolve: (received: ReceivedUpload<Request>) => void,
    reject: (failure: Error) => void,
  ) {
    this.#body = body;
    this.#rules = rules;
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
      parser.on('filesLimit', () => this.#fail(this.#bad('The body has more files than the map.')));
      parser.on('fieldsLimit', () => this.#fail(this.#bad(NOT_A_FILE)));
      parser.on('finish', () => this.#end());
      parser.on('error', () => this.#fail(this.#bad(NOT_MULTIPART)));
      this.#body.once('close', () => this.#bodyClosed());
      this.#body.pipe(parser);
    } catch {
      this.#fail(this.#bad(NOT_MULTIPART));
    }
  }

  #parser(contentType: string): BusboyInstance {
    const { files, fileBytes, partBytes } = this.#rules.bounds;
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
      isPartAFile: (_name, _mediaType, filename) => filename !== undefined,
    });
  }

  #try(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(error as Error); // of `readRequest`, or made below
    }
  }

  #field(name: string, value: string, isCut: boolean): void {
    const { partBytes } = this.#rules.bounds;
    if (isCut || Buffer.byteLength(value) > partBytes)
      throw this.#tooLarge(`The part "${name === 'map' ? name : 'operations'}"`, partBytes);
    if (this.#operations === undefined && name === 'operations') this.#operations = value;
    else if (this.#operations !== undefined && !this.#files && name === 'map') {
      const { request, keys } = this.#rules.readRequest(this.#operations, value);
      const files = new ArrivingFiles(keys, this.#rules.errorOf);
      this.#files = files;
      this.#resolve({ request, files, close: () => this.#close() });
    } else throw this.#wrongParts();
  }

  #file(name: string, bytes: BusboyFileStream, file: ArrivingFile): void {
    const { fileBytes } = this.#rules.bounds;
    bytes.on('error', () => undefined); // the parser reports it as well
    bytes.once('limit', () => this.#fail(this.#tooLarge(`The file "${name}"`, fileBytes)));
    const fault = this.#faultOf(file);
    if (this.#files && !this.#hasFailed && !fault) return this.#files.arrive(name, file);
    bytes.resume();
    throw fault ?? this.#wrongParts();
  }

  /** What it is called is stored and shown: it is judged as other names are. */
  #faultOf({ filename, mediaType }: ArrivingFile): Error | undefined {
    const { nameProblem } = this.#rules;
    const [ofName, ofType] = [nameProblem(filename), nameProblem(mediaType)];
    if (ofName !== undefined) return this.#bad(`The name of a file ${ofName}.`);
    return ofType === undefined ? undefined : this.#bad(`The media type of a file ${ofType}.`);
  }

  #end(): void {
    if (this.#hasFailed) return;
    if (this.#files) this.#files.end();
    else this.#fail(this.#wrongParts());
  }

  #close(): void {
    if (this.#body.readableEnded) return;
    this.#hasFailed = true; // what comes now concerns no one
    drain(this.#body);
  }

  /** Without its end: the client has left, or was too slow. */
  #bodyClosed(): void {
    if (!this.#body.readableEnded) this.#fail(this.#bad('The body ended before its last part.'));
  }

  #fail(failure: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#files?.fail(failure);
    this.#reject(failure); // of no effect once the request is read
    drain(this.#body);
  }

  #bad(message: string): Error {
    return this.#rules.errorOf('BAD_REQUEST', message);
  }

  #tooLarge(what: string, max: number): Error {
    return this.#rules.errorOf('PAYLOAD_TOO_LARGE', `${what} is too large. The maximum is ${max} bytes.`);
  }

  #wrongParts(): Error {
    return this.#rules.errorOf(
      'UPLOAD_OUT_OF_ORDER',
      'The parts of the body are "operations", "map" and then the files, in this order.',
    );
  }
}

const NOT_A_FILE = 'A part behind "operations" and "map" is no file: it has no filename.';
const NOT_MULTIPART = 'The request is not a GraphQL request. Its body is not multipart/form-data.';
