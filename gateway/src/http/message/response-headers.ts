import type { IncomingHttpHeaders } from 'node:http';
import { isScopeToken } from '@trellis/http1/fields';
import { PROOF_ALGORITHMS } from '@trellis/runtime/dpop';
import {
  NOT_CACHEABLE,
  strictest,
  UNRESTRICTED,
  writeCacheControl,
  type CachePolicy,
} from '../../caching/cache-policy.ts';
import { gatewayErrorCodes, isGatewayErrorCode } from '../../errors.ts';
import type { OperationResult } from '../../pipeline/operation-result.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { ForwardedHeaders } from '../../plan/forwarded-headers.ts';
import type { HttpExchange, ResponseHeaders } from './http-exchange.ts';
import type { ResultMediaType } from './media-types.ts';
import type { Denial } from '../../operation/access/requirement.ts';

/**
 * What the status, the first errors and the cache policies of responses say in headers, without `content-type`; and the headers of
 * subgraphs that came with them.
 */
export function responseHeaders(
  exchange: HttpExchange,
  responses: readonly OperationResult[],
  status: number,
  services: Pick<PipelineServices, 'responsePolicy' | 'observer' | 'supergraphs' | 'generations'>,
): Record<string, string | readonly string[]> {
  const { id, method, headers } = exchange;
  const { responsePolicy, observer } = services;
  const { privateFor, resourceMetadata, showsVersion } = responsePolicy;
  const cacheControl = isOfAVariant(responses, services)
    ? 'no-store'
    : cacheControlOf(responses, headers, privateFor);
  const own: Record<string, string | readonly string[]> = {
    ...forwardedHeaders(exchange, responses, observer),
    'x-request-id': id,
    'cache-control': cacheControl,
  };
  const varyOn = cacheControl === 'no-store' ? [] : headersThatDecide(services);
  if (varyOn.length > 0) own['vary'] = varyOn.join(', ');
  const version = showsVersion ? responses[0]?.admitted?.supergraph.version : undefined;
  if (version !== undefined) own['trellis-supergraph'] = version;
  const challenge = challengeOf(responses, status, headers.authorization, resourceMetadata);
  if (challenge !== undefined) own['www-authenticate'] = challenge;
  const retryAfterS = retryAfterOf(responses);
  if (retryAfterS !== undefined) own['retry-after'] = String(retryAfterS);
  if (status === 405) own['allow'] = method === 'GET' ? 'POST' : 'GET, POST';
  return own;
}

/**
 * Whether other requests to the same address are served by another generation. No cache may store such responses: a cache before the
 * gateway would have one caller's preview for all, and a canary beyond its share.
 */
function isOfAVariant(
  responses: readonly OperationResult[],
  { generations, supergraphs }: Pick<PipelineServices, 'supergraphs' | 'generations'>,
): boolean {
  if (!generations.active) return false; // nearly always
  const main = supergraphs.current();
  return responses.some(({ admitted }) => admitted?.supergraph !== main);
}

function headersThatDecide({
  responsePolicy: { varyOn },
  generations: { active },
}: Pick<PipelineServices, 'responsePolicy' | 'generations'>): readonly string[] {
  return active && active.varyOn.length > 0 ? [...new Set([...varyOn, ...active.varyOn])] : varyOn;
}

/** The headers of subgraphs that came with responses. Absent where none did. What found no room is logged. */
export function forwardedHeaders(
  { id }: Pick<HttpExchange, 'id'>,
  responses: readonly OperationResult[],
  observer: Pick<PipelineServices['observer'], 'headersDropped'>,
): ResponseHeaders | undefined {
  if (!responses.some((response) => response.headers)) return undefined; // nearly always
  const merged = ForwardedHeaders.merged(responses.flatMap((response) => response.headers ?? []));
  if (!merged) return undefined;
  if (merged.dropped.size > 0) observer.headersDropped(id, [...merged.dropped]);
  return merged.lines();
}

/**
 * The HTTP status of a response. With data it is 200. Without, the first error decides: under
 * `application/graphql-response+json` always, under `application/json` only for requests that were never executed.
 *
 * @see GraphQL over HTTP, "Status Codes"
 */
export function statusOf(response: OperationResult, mediaType: ResultMediaType): number {
  const [first] = response.errors;
  if (!first || (response.data !== undefined && response.data !== 'null')) return 200;
  const code = first.extensions?.['code'];
  const described = gatewayErrorCodes[isGatewayErrorCode(code) ? code : 'INTERNAL_SERVER_ERROR'];
  if (mediaType === 'application/graphql-response+json') return described.status;
  // The graph as a whole is forbidden then, not a part of it; clients look for its metadata at a 401. RFC 9728 §5.
  if (response.stage === 'require token') return described.status;
  return response.data === undefined ? described.jsonStatus : 200;
}

/** The status of a batch: the one that all its responses have, else 200. */
export function statusOfBatch(responses: readonly OperationResult[], mediaType: ResultMediaType): number {
  const [first = 200, ...others] = responses.map((response) => statusOf(response, mediaType));
  return others.every((status) => status === first) ? first : 200;
}

/** Seconds after which a rejected client may retry. RFC 9110 §10.2.3. */
export function retryAfterOf(responses: readonly Pick<OperationResult, 'errors'>[]): number | undefined {
  const seconds = responses.map(({ errors }) => errors[0]?.extensions?.['retryAfterS']);
  const longest = Math.max(0, ...seconds.filter((value) => typeof value === 'number'));
  return longest > 0 ? longest : undefined;
}

/**
 * The `Cache-Control` of responses that go out together: the strictest of them. Private for identified callers, and no-store as
 * soon as anything is missing.
 *
 * @param privateFor names of headers that may say who asks
 */
function cacheControlOf(
  responses: readonly OperationResult[],
  headers: IncomingHttpHeaders,
  privateFor: readonly string[],
): string {
  const policy = responses.map(policyOf).reduce(strictest, UNRESTRICTED);
  const isPrivate = policy.isPrivate || privateFor.some((name) => headers[name] !== undefined);
  return writeCacheControl({ ...policy, isPrivate });
}

/** A body of bytes has data; decoding it to check would cost more than all else here. */
function policyOf(response: OperationResult): CachePolicy {
  if (response.errors.length > 0 || (!response.body && response.data === undefined)) return NOT_CACHEABLE;
  return response.cachePolicy ?? NOT_CACHEABLE;
}

/**
 * The challenge for responses that lacked a token, a scope or another sign-in, if they did: `invalid_token` when a token was sent
 * that is not valid, `insufficient_scope` or `insufficient_user_authentication` when it does not suffice.
 *
 * @param resourceMetadata address of the metadata; absent where there are none
 * @see RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3, RFC 9728 §5.1
 */
function challengeOf(
  responses: readonly OperationResult[],
  status: number,
  authorization: string | undefined,
  resourceMetadata: string | undefined,
): string | undefined {
  if (responses.every(({ errors }) => errors.length === 0)) return undefined;
  const problem = isRejected(responses, status) ? rejection(authorization) : insufficiency(responses);
  if (!problem) return undefined;
  const isProof = authorization !== undefined && /^dpop /i.test(authorization);
  const parameters = {
    realm: 'graph',
    ...problem,
    ...(isProof && { algs: PROOF_ALGORITHMS.join(' ') }),
    ...(resourceMetadata !== undefined && { resource_metadata: resourceMetadata }),
  };
  const written = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return `${isProof ? 'DPoP' : 'Bearer'} ${written.join(', ')}`;
}

type Problem = Readonly<Record<string, string>>;

function isRejected(responses: readonly OperationResult[], status: number): boolean {
  return (
    status === 401 ||
    responses.some((response) => codeOf(response) === 'UNAUTHENTICATED' && response.data === undefined)
  );
}

function codeOf({ errors: [first] }: OperationResult): unknown {
  return first?.extensions?.['code'];
}

function rejection(authorization: string | undefined): Problem {
  return authorization === undefined ? {} : { error: 'invalid_token' };
}

/** Of the fields that were denied. Scopes first: with them comes a new sign-in as well. */
function insufficiency(responses: readonly OperationResult[]): Problem | undefined {
  const denials = responses
    .filter((response) => codeOf(response) === 'FORBIDDEN')
    .flatMap(({ admitted }) => [...(admitted?.denied.fields.values() ?? [])]);
  return missingScopes(denials) ?? missingSignIn(denials);
}

/** Others than scope tokens can't stand in a challenge. */
function missingScopes(denials: readonly Denial[]): Problem | undefined {
  const scopes = [...new Set(denials.flatMap((denial) => denial.scopes ?? []))].filter(isScopeToken);
  return scopes.length === 0 ? undefined : { error: 'insufficient_scope', scope: scopes.join(' ') };
}

function missingSignIn(denials: readonly Denial[]): Problem | undefined {
  const asked = denials.flatMap(({ signIn }) => signIn ?? []);
  if (asked.length === 0) return undefined;
  const acrValues = [...new Set(asked.flatMap((signIn) => signIn.acrValues))].filter(isScopeToken);
  const ages = asked.flatMap(({ maxAgeS }) => maxAgeS ?? []);
  return {
    error: 'insufficient_user_authentication',
    ...(acrValues.length > 0 && { acr_values: acrValues.join(' ') }),
    ...(ages.length > 0 && { max_age: String(Math.min(...ages)) }),
  };
}
