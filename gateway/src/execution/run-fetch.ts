import { isAscii } from 'node:buffer';
import { AsciiText, PIECE_BYTES, type WholeBody } from '@trellis/http1';
import { readCacheControl, strictest, UNRESTRICTED } from '../caching/cache-policy.ts';
import { ownVariable } from '../operation/document/decided-conditions.ts';
import { EntityRequests, type PlanRun } from './plan-run.ts';
import { internalFailure, type DataObject, type Failure, type WritableObject } from './failure.ts';
import { fetchByContext } from './fetch-by-context.ts';
import { ForwardedHeaders } from '../plan/forwarded-headers.ts';
import type { FetchStep } from '../plan/plan.ts';
import { uploadBody } from './upload-body.ts';
import { readResponse, type GraphResponse } from './read-response.ts';
import { flatRepresentations } from './equal-objects.ts';
import { representationsOf, type RepresentationBatch } from './representations.ts';
import type { HeaderDisclosure } from '../subgraphs/header-disclosure.ts';
import { SubgraphFailure } from '../subgraphs/subgraph-failure.ts';
import type { SubgraphResponse } from '../subgraphs/subgraph-request.ts';

const BACKSLASH = 0x5c;

/**
 * Makes one fetch of a plan and merges its response. Whatever goes wrong with it becomes failures in the data.
 *
 * @throws the signal's reason when the run is aborted
 */
export function runFetch(step: FetchStep, run: PlanRun): Promise<void> {
  return step.requires ? fetchDependent(step, run) : fetchRoot(step, run);
}

/** Nothing is thrown before there is a promise: the fetches that run beside this one would be left to themselves. */
async function fetchDependent(step: FetchStep, run: PlanRun): Promise<void> {
  if (step.contextValues.length === 0) await fetchEntities(step, run, run.data.targetsOf(step), '');
  else
    await fetchByContext(step, run, (reduced, objects, text) => fetchEntities(reduced, run, objects, text));
}

const NOTHING_TO_ASK = Promise.resolve();

async function fetchRoot(step: FetchStep, run: PlanRun): Promise<void> {
  const variables = variablesText(step, run);
  const result = await sendFetch(step, run, `{${variables}}`);
  if (step.isMutation) run.entityRequests?.forget();
  run.data.mergeRoot(step, result);
}

function fetchEntities(
  step: FetchStep,
  run: PlanRun,
  objects: readonly DataObject[],
  contextText: string,
): Promise<unknown> {
  const { types } = run.supergraph;
  const flat = flatRepresentations(objects, step);
  if (flat) return flat.texts.length > 0 ? fetchBatch(step, run, flat, contextText) : NOTHING_TO_ASK;
  const batches = representationsOf(objects, step, types, (object, failure) =>
    run.data.fail(step, object, failure),
  );
  return Promise.all(batches.map((batch) => fetchBatch(step, run, batch, contextText)));
}

/** Where a requirement is missing, the fields that need it fail, and the others are asked for without them. */
function fetchBatch(
  step: FetchStep,
  run: PlanRun,
  batch: RepresentationBatch,
  contextText: string,
): Promise<unknown> {
  const { missing, targets } = batch;
  if (missing.size === 0)
    return fetchWhole(step, run, batch, joinMembers(variablesText(step, run), contextText));
  const reduced = step.without(new Set(missing.keys()));
  run.data.failDependents(step, targets.flat(), missing);
  if (!reduced) return NOTHING_TO_ASK;
  noteWanted(step, run, batch, batch.texts.length);
  return askEntities(reduced, run, batch, joinMembers(variablesText(reduced, run), contextText));
}

function fetchWhole(
  step: FetchStep,
  run: PlanRun,
  batch: RepresentationBatch,
  variables: string,
): Promise<unknown> {
  const { mergeKey } = step;
  if (mergeKey === undefined) {
    noteWanted(step, run, batch, batch.texts.length);
    return askEntities(step, run, batch, variables);
  }
  return entityRequestsOf(run).fetch(step, `${mergeKey}${variables}`, batch, variables);
}

function entityRequestsOf(run: PlanRun): EntityRequests {
  run.entityRequests ??= new EntityRequests({
    ask: (step, batch, variables) => askEntities(step, run, batch, variables),
    place: (step, objects, entity) => run.data.mergeKnownEntity(step, objects, entity),
    wanted: run.context.entitiesWanted && ((step, batch, asked) => noteWanted(step, run, batch, asked)),
  });
  return run.entityRequests;
}

/** Counts nothing where it is not observed. */
function noteWanted(step: FetchStep, run: PlanRun, { targets }: RepresentationBatch, asked: number): void {
  const { entitiesWanted } = run.context;
  if (!entitiesWanted) return;
  const objects = targets.reduce((sum, { length }) => sum + length, 0);
  entitiesWanted(step, objects, asked);
}

/** @returns the entities, when nothing was wrong */
async function askEntities(
  step: FetchStep,
  run: PlanRun,
  { texts, targets }: RepresentationBatch,
  variables: string,
): Promise<readonly unknown[] | undefined> {
  const own = variables === '' ? '' : `,${variables}`;
  const result = await sendFetch(step, run, `{"representations":[${texts.join()}]${own}}`);
  return run.data.mergeEntities(step, targets, result);
}

function joinMembers(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first},${second}`;
}

function variablesText(step: FetchStep, run: PlanRun): string {
  if (step.variableNames.length === 0) return '';
  const texts: string[] = [];
  for (const name of step.variableNames) {
    const value = ownVariable(run.context.variables, name);
    if (value !== undefined) texts.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  }
  return texts.join();
}

const nothingToMerge: GraphResponse = { data: Object.create(null) as WritableObject, errors: [] };

/** Sends a subgraph request. What is wrong with it or its response comes back as a failure. */
async function sendFetch(step: FetchStep, run: PlanRun, variables: string): Promise<GraphResponse | Failure> {
  const { subgraph, isMutation } = step;
  const { signal, subgraphClient, sharedBy, disclosureOf, headerDisclosure, uploads } = run.context;
  const endpoint = run.supergraph.subgraphs.get(subgraph);
  if (!endpoint?.url) return internalFailure(`The subgraph "${subgraph}" has no address.`);
  try {
    const made = run.headersFor(subgraph);
    const headers = made instanceof Promise ? await made : made;
    const body = `${step.bodyStart}${variables}}`;
    const streamed = uploads && uploadBody(body, step.variableNames, run.context.variables, uploads);
    const response = await subgraphClient.send({
      subgraph,
      url: endpoint.url,
      body,
      streamed,
      headers,
      signal,
      isMutation,
      sharedBy,
      wanted: headerDisclosure?.of(subgraph),
    });
    noteCaching(response, run);
    if (headerDisclosure) forwardHeaders(subgraph, response, headerDisclosure, run);
    const objects = response.status === 200 ? run.passthrough?.objectsIn(response.body) : undefined;
    if (objects !== undefined) {
      run.passedThrough = { body: passedBody(response), objects };
      return nothingToMerge;
    }
    run.hasEscapes ||= response.body.includes(BACKSLASH);
    const isOnlyAscii = isAscii(response.body);
    run.isAscii &&= isOnlyAscii;
    const read = readResponse(subgraph, response, isOnlyAscii, disclosureOf?.(subgraph));
    response.release?.();
    return read;
  } catch (error) {
    signal.throwIfAborted();
    const message =
      error instanceof SubgraphFailure ? error.message : `The subgraph "${subgraph}" could not be reached.`;
    return internalFailure(message, error);
  }
}

/** A body that clients get as it is. Text is V8's own memory; that of the body is free for the next one then (ADR 75). */
function passedBody({ body, release }: SubgraphResponse): WholeBody {
  if (!release || !isAscii(body)) return body;
  const text = body.length > PIECE_BYTES ? AsciiText.of(body) : body.toString('latin1');
  release();
  return text;
}

function noteCaching({ cacheControl }: SubgraphResponse, run: PlanRun): void {
  if (cacheControl === undefined) run.hasUndated = true;
  else run.cachePolicy = strictest(run.cachePolicy ?? UNRESTRICTED, readCacheControl(cacheControl));
}

function forwardHeaders(
  subgraph: string,
  { fields = [] }: SubgraphResponse,
  disclosure: HeaderDisclosure,
  run: PlanRun,
): void {
  const merges = disclosure.of(subgraph);
  for (const { name, value } of fields) {
    const merge = merges?.get(name);
    if (!merge) continue;
    run.headers ??= new ForwardedHeaders(disclosure.maxBytes);
    run.headers.add(name, value, merge);
  }
}
