import type { GraphRequest, RequestContext } from '../../request/context.ts';
import { RequestRefused } from '../../errors.ts';
import { CostBudget } from '../../request/cost-budget.ts';
import { runOperation } from '../../pipeline/index.ts';
import type { OperationAnswer, PipelineAnswer } from '../../pipeline/operation-answer.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { writeAnswer, writeBatch } from '../../pipeline/write-answer.ts';
import type { TransportSettings } from '../../settings/settings.ts';
import type { UnreadAnswers } from '../../load/unread-answers.ts';
import { answerHeaders, statusOf, statusOfBatch } from '../message/response-headers.ts';
import { compressAnswer } from '../message/compress-answer.ts';
import type { HttpAnswer, HttpExchange } from '../message/http-exchange.ts';
import { mediaTypeOfFailure, type ResultMediaType } from '../message/media-types.ts';
import { readBody, type ReadBody } from '../message/read-request.ts';

/** What answering takes, whatever the form of the answer. */
export interface AnsweringOptions {
  /** Those of the configuration that is in force now. */
  readonly services: () => PipelineServices;
  /** The settings in force now. */
  readonly settings: () => TransportSettings;
  /** Bounds what clients leave unread. */
  readonly unread: UnreadAnswers;
  /** Called for each response, for logs and metrics. */
  readonly onAnswer: (request: { readonly id: string }, answer: OperationAnswer, durationMs: number) => void;
}

/** What the transport and the client take. */
export type Carried = Pick<RequestContext, 'takesParts' | 'accepts'>;

const WHOLE: Carried = { takesParts: false, accepts: 'query-mutation' };

/**
 * Answers the body of a POST to a client that takes neither parts nor streams.
 *
 * @throws RequestRefused where there is nothing to run
 */
export function answerBody(
  exchange: HttpExchange,
  body: Buffer,
  mediaType: ResultMediaType,
  options: AnsweringOptions,
): Promise<HttpAnswer> {
  return answerWhole(exchange, readBody(body, options.settings().limits), mediaType, WHOLE, options);
}

/** Answers one request, or a batch, at once. */
export async function answerWhole(
  exchange: HttpExchange,
  body: ReadBody,
  mediaType: ResultMediaType,
  carried: Carried,
  options: AnsweringOptions,
): Promise<HttpAnswer> {
  if (body.kind === 'batch') {
    const answers = await runRequests(exchange, body.requests, carried, options);
    return compress(answerOfBatch(exchange, answers.map(wholeOf), mediaType, options), exchange, options);
  }
  const answer = await runRequest(exchange, body.request, carried, options);
  return compress(answerOfOne(exchange, wholeOf(answer), mediaType, options), exchange, options);
}

/** An answer as its client accepts it. */
export function compress(
  answer: HttpAnswer,
  { headers }: HttpExchange,
  { settings }: AnsweringOptions,
): HttpAnswer | Promise<HttpAnswer> {
  return compressAnswer(answer, headers['accept-encoding'], settings().http.compression?.minBytes);
}

/** Runs one operation of an exchange. */
export async function runRequest(
  exchange: HttpExchange,
  request: GraphRequest,
  carried: Carried,
  options: AnsweringOptions,
): Promise<PipelineAnswer> {
  const [answer] = await runRequests(exchange, [request], carried, options);
  if (!answer) throw new Error('An operation was not answered.');
  return answer;
}

/** Runs operations side by side: what becomes of one is nothing to the others. */
async function runRequests(
  exchange: HttpExchange,
  requests: readonly (GraphRequest | RequestRefused)[],
  { takesParts, accepts }: Carried,
  { services, onAnswer }: AnsweringOptions,
): Promise<readonly PipelineAnswer[]> {
  const { signal, settle } = exchange.watch();
  const { id: requestId, headers, address, proof, certificate } = exchange;
  const { authorization } = headers;
  const context: RequestContext = {
    requestId,
    headers,
    address,
    authorization,
    proof,
    certificate,
    signal,
    takesParts,
    accepts,
    budget: requests.length > 1 ? new CostBudget() : undefined,
  };
  const inForce = services();
  const run = (element: GraphRequest | RequestRefused): Promise<PipelineAnswer> =>
    element instanceof RequestRefused
      ? Promise.resolve(refusedAnswer(element))
      : runOperation(element, context, inForce);
  const [only] = requests;
  const answers = only && requests.length === 1 ? [await run(only)] : await Promise.all(requests.map(run));
  settle();
  for (const answer of answers)
    if (answer.kind !== 'stream') onAnswer(exchange, firstPartOf(answer), exchange.elapsedMs);
  return answers;
}

function wholeOf(answer: PipelineAnswer): OperationAnswer {
  if (answer.kind !== 'stream') return firstPartOf(answer);
  answer.stream.stop();
  throw new Error('A stream was opened for a client that takes none.');
}

/** What can be sent at once. */
export function firstPartOf(answer: Exclude<PipelineAnswer, { kind: 'stream' }>): OperationAnswer {
  return answer.kind === 'single' ? answer : answer.initial;
}

/** What goes wrong before there is an operation, as a GraphQL response. */
export function answerFailure(
  exchange: HttpExchange,
  failure: RequestRefused,
  options: AnsweringOptions,
): HttpAnswer {
  const answer = refusedAnswer(failure);
  const mediaType = mediaTypeOfFailure(exchange.headers.accept);
  options.onAnswer(exchange, answer, exchange.elapsedMs);
  return answerOfOne(exchange, answer, mediaType, options);
}

function refusedAnswer({ errors }: RequestRefused): OperationAnswer {
  return {
    kind: 'single',
    data: undefined,
    errors: errors.map(({ message, extensions }) => ({ message, extensions })),
    admitted: undefined,
  };
}

/** What one answer is in HTTP. */
export function answerOfOne(
  exchange: HttpExchange,
  answer: OperationAnswer,
  mediaType: ResultMediaType,
  options: AnsweringOptions,
): HttpAnswer {
  const status = statusOf(answer, mediaType);
  const headers = headersOf(exchange, [answer], status, mediaType, options);
  return { status, headers, body: answer.body ?? writeAnswer(answer), caller: answer.admitted?.caller };
}

function answerOfBatch(
  exchange: HttpExchange,
  answers: readonly OperationAnswer[],
  mediaType: ResultMediaType,
  options: AnsweringOptions,
): HttpAnswer {
  const status = statusOfBatch(answers, mediaType);
  const headers = headersOf(exchange, answers, status, mediaType, options);
  const caller = answers.find(({ admitted }) => admitted)?.admitted?.caller; // one request has one token
  return { status, headers, body: writeBatch(answers), caller };
}

function headersOf(
  exchange: HttpExchange,
  answers: readonly OperationAnswer[],
  status: number,
  mediaType: ResultMediaType,
  { services }: AnsweringOptions,
): Record<string, string> {
  const headers = answerHeaders(exchange, answers, status, services().answerPolicy);
  headers['content-type'] = `${mediaType}; charset=utf-8`;
  return headers;
}
