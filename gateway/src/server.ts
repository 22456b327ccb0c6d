import compress from '@fastify/compress';
import { createHttpServer, type Logger, type Metrics, type ReadinessCheck } from '@trellis/deployable';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JSONWebKeySet } from 'jose';
import { addContextKeysRoute } from './http/context-keys-route.ts';
import { allowCrossOrigin } from './http/cross-origin.ts';
import { addGraphqlRoute } from './http/graphql-route.ts';
import type { RequestBounds } from './http/read-request.ts';
import type { MultipartTimes } from './http/write-multipart.ts';
import type { OperationAnswer } from './pipeline/operation-answer.ts';
import type { PipelineServices } from './pipeline/services.ts';
import type { HttpSettings } from './settings.ts';
import { createOperationMetrics } from './telemetry/operation-metrics.ts';

/** What {@link buildServer} puts together. */
export interface ServerDependencies {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Those of the configuration that is in force now. */
  readonly services: () => PipelineServices;
  readonly bounds: RequestBounds;
  /** Bytes of a request body. */
  readonly maxBodyBytes: number;
  /** Milliseconds to the first byte of an answer. */
  readonly requestTimeoutMs: number;
  /** Deadlines of answers in parts. */
  readonly multipart: MultipartTimes;
  /** How clients are met: proxies, other origins, compression. */
  readonly http: HttpSettings;
  /** The public keys of the user context; absent where none is sent. */
  readonly contextKeys: JSONWebKeySet | undefined;
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
}

const GRAPHQL_PATH = '/graphql';

/** The gateway's HTTP server. It does not listen yet; closing it finishes what is in flight. */
export function buildServer(dependencies: ServerDependencies): FastifyInstance {
  const { logger, services, bounds, requestTimeoutMs, contextKeys, http } = dependencies;
  const server = createHttpServer({
    logger,
    readiness: dependencies.readiness,
    maxBodyBytes: dependencies.maxBodyBytes,
    requestTimeoutMs,
    fastify: { trustProxy: proxiesOf(http) },
  });
  if (http.cors) allowCrossOrigin(server, http.cors);
  if (http.compression !== false) compressAnswers(server, http.compression?.minBytes);
  addGraphqlRoute(server, {
    path: GRAPHQL_PATH,
    services,
    bounds,
    timeoutMs: requestTimeoutMs,
    multipart: dependencies.multipart,
    onAnswer: createAnswerObserver(dependencies),
  });
  if (contextKeys) addContextKeysRoute(server, contextKeys);
  return server;
}

function proxiesOf({ trustProxy = false }: HttpSettings): boolean | string[] {
  return typeof trustProxy === 'boolean' ? trustProxy : [...trustProxy];
}

const DEFAULT_MIN_BYTES = 1_024;

/** Small answers are not worth it, and bodies of requests are never decompressed. */
function compressAnswers(server: FastifyInstance, minBytes: number = DEFAULT_MIN_BYTES): void {
  server.register(compress, {
    globalDecompression: false,
    threshold: minBytes,
    encodings: ['br', 'gzip', 'deflate'],
  });
}

const MAX_LOGGED_NAME_CHARACTERS = 100;

function createAnswerObserver({
  logger,
  metrics,
}: ServerDependencies): (request: FastifyRequest, answer: OperationAnswer, durationMs: number) => void {
  const operations = createOperationMetrics(metrics);
  return (request, answer, durationMs) => {
    operations.observe(answer, durationMs / 1_000);
    if (!logger.isLevelEnabled('debug')) return;
    const operation = answer.admitted?.operation;
    logger.debug(
      {
        requestId: request.id,
        operation: operation?.name?.slice(0, MAX_LOGGED_NAME_CHARACTERS),
        kind: operation?.kind,
        outcome: answer.errors[0]?.extensions?.['code'],
        durationMs,
      },
      'operation answered',
    );
  };
}
