import { fileNameProblem } from '@trellis/runtime/admission';
import {
  maxUploadBytes,
  placeFiles,
  readUpload,
  type ArrivingFile,
  type ReceivedUpload,
  type UploadProblem,
} from '@trellis/subgraph-protocol/uploads';
import { badUserInput, clientError } from '@trellis/subgraph-protocol';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import {
  getNamedType,
  GraphQLScalarType,
  isInputObjectType,
  type GraphQLField,
  type GraphQLType,
} from 'graphql';
import type { Readable } from 'node:stream';

/** What requests with files may bring. */
export interface UploadOptions {
  /** Files of one request. @default 10 */
  readonly files?: number;
  /** Bytes of one file. @default 104_857_600 */
  readonly fileBytes?: number;
  /** Milliseconds in which a request with files has to arrive, and in which a resolver that takes files has to return. @default 60_000 */
  readonly timeoutMs?: number;
}

/** {@link UploadOptions}, complete. */
export type UploadRules = Required<UploadOptions>;

export function uploadRulesOf({
  files = 10,
  fileBytes = 104_857_600,
  timeoutMs = 60_000,
}: UploadOptions): UploadRules {
  return { files, fileBytes, timeoutMs };
}

/** Of the parts `operations` and `map`. */
const PART_BYTES = 1_048_576;

/** A file of a request: what a resolver gets for an argument of the scalar `Upload`. */
export class UploadedFile {
  readonly #key: string;
  readonly #open: (key: string) => Promise<ArrivingFile>;

  constructor(key: string, open: (key: string) => Promise<ArrivingFile>) {
    this.#key = key;
    this.#open = open;
  }

  /**
   * Waits until the file arrives. Files come one behind the other, in the order in which the mutation uses them: who opens the
   * second has read the first, or dropped it by `bytes.resume()`.
   *
   * @returns its name and media type, as the client says, and its bytes. A file is whole when `bytes` has ended; it fails where
   * the file is larger than allowed or cut off, or its operation has ended, so what was stored until then is to be deleted.
   * @throws GraphQLError BAD_USER_INPUT for a file that does not come, or was opened before: one file may stand in two places
   */
  open(): Promise<ArrivingFile> {
    return this.#open(this.#key);
  }

  /** For logs and caches of arguments. */
  toJSON(): null {
    return null;
  }
}

/** The scalar `Upload`: in variables alone, and never in a result. */
export const uploadScalar: GraphQLScalarType<UploadedFile, never> = new GraphQLScalarType<
  UploadedFile,
  never
>({
  name: 'Upload',
  description: 'A file, by the GraphQL multipart request specification.',
  parseValue: (value) => {
    if (value instanceof UploadedFile) return value;
    throw badUserInput('A file comes in a part of a multipart request.', 'Upload', null);
  },
  parseLiteral: () => {
    throw badUserInput('A file comes as a variable.', 'Upload', null);
  },
  serialize: () => {
    throw new Error('A file is no result.');
  },
});

/**
 * Takes requests with files, which arrive while resolvers run. None is held: a resolver that does not read stops the sender.
 *
 * @param authorize throws for a request whose body is not to be read
 * @see https://github.com/jaydenseric/graphql-multipart-request-spec
 */
export function takeUploads(
  server: FastifyInstance,
  rules: UploadRules,
  authorize: (request: FastifyRequest) => Promise<unknown>,
): void {
  const bounds = { files: rules.files, fileBytes: rules.fileBytes, partBytes: PART_BYTES };
  server.decorateRequest(RECEIVED, undefined);
  server.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, body: Readable) => {
    await authorize(request);
    const max = maxUploadBytes(bounds);
    if (Number(request.headers['content-length']) > max)
      throw errorOf('PAYLOAD_TOO_LARGE', `The body is too large. The maximum is ${max} bytes.`);
    const opened = new OpenedFiles();
    const readRequest = (operations: string, map: string) =>
      readOperation(operations, map, rules.files, (key) => opened.open(key));
    const received = await readUpload(body, request.headers['content-type'] ?? '', {
      bounds,
      readRequest,
      errorOf,
      nameProblem: (name) => fileNameProblem(name),
    });
    opened.begin(received);
    request.setDecorator(RECEIVED, opened);
    return received.request;
  });
}

const RECEIVED = 'receivedUpload';

/**
 * The operation has ended: what no resolver has read is read to its end and dropped, so that its sender gets the response. A file that
 * is still being read fails: its resolver took longer than it may.
 */
export function dropUnread(request: FastifyRequest): void {
  request.getDecorator<OpenedFiles | undefined>(RECEIVED)?.end();
}

/** The files of a request for its resolvers. */
class OpenedFiles {
  #received: ReceivedUpload<object> | undefined;
  readonly #opened = new Set<string>();

  begin(received: ReceivedUpload<object>): void {
    this.#received = received;
  }

  /** A file that is cut off or too large ends its stream with the reason, and not as if it were whole. */
  async open(key: string): Promise<ArrivingFile> {
    const files = this.#received?.files;
    if (!files) throw errorOf('UPLOAD_MISSING', 'The files are opened before the request is read.');
    if (this.#opened.has(key)) throw errorOf('BAD_REQUEST', `The file "${key}" was opened before.`);
    this.#opened.add(key);
    const file = await files.take(key);
    files.onFailure((failure) => file.bytes.destroy(failure));
    return file;
  }

  end(): void {
    this.#received?.files.fail(errorOf('BAD_REQUEST', 'The operation has ended.'));
    this.#received?.close();
  }
}

/** Whether a field takes a file, within inputs as well. */
export function takesFile({ args }: GraphQLField<unknown, unknown>): boolean {
  const seen = new Set<GraphQLType>();
  const holdsFile = (type: GraphQLType): boolean => {
    const named = getNamedType(type);
    if (named === uploadScalar || named.name === uploadScalar.name) return true;
    if (!isInputObjectType(named) || seen.has(named)) return false;
    seen.add(named);
    return Object.values(named.getFields()).some((field) => holdsFile(field.type));
  };
  return args.some(({ type }) => holdsFile(type));
}

function readOperation(
  operations: string,
  map: string,
  maxFiles: number,
  open: (key: string) => Promise<ArrivingFile>,
): { readonly request: object; readonly keys: readonly string[] } {
  const request = parseObject(operations);
  const { variables } = request;
  const fileOf = (key: string): UploadedFile => new UploadedFile(key, open);
  const target = typeof variables === 'object' && variables !== null ? variables : {};
  return { request, keys: placeFiles(target, map, { maxFiles, fileOf, errorOf }) };
}

function parseObject(operations: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(operations) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // as below
  }
  throw errorOf('BAD_REQUEST', 'The part "operations" is a JSON object: one operation.');
}

/** With a status for what goes wrong before there is an operation, and a code for what goes wrong within it. */
function errorOf(problem: UploadProblem, message: string): FastifyError {
  const statusCode = problem === 'PAYLOAD_TOO_LARGE' ? 413 : 400;
  return Object.assign(clientError('BAD_USER_INPUT', message), { statusCode }) as unknown as FastifyError;
}
