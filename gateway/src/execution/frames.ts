import type { GraphQLFormattedError } from 'graphql';
import type {
  CompletedPart,
  IncrementalResult,
  IncrementalUpdate,
  PendingPart,
} from './incremental-result.ts';

/**
 * How parts are written.
 *
 * `20220824`: each part is an item of `incremental` with `path`, `label` and the data of its whole fragment.
 * `v0.2`: parts are announced as `pending`, come as `incremental` without what came before, and end as `completed`.
 *
 * @see https://specs.apollo.dev/incremental/v0.1/ and https://specs.apollo.dev/incremental/v0.2/
 */
export type IncrementalDialect = '20220824' | 'v0.2';

type ShownUpdate = IncrementalUpdate<GraphQLFormattedError>;
type ShownPart = CompletedPart<GraphQLFormattedError>;

/** Says that a response goes on, where a connection would otherwise be silent for long. It is valid in both dialects. */
export const HEARTBEAT_FRAME = '{"hasNext":true}';

/**
 * A response in parts as JSON texts, one a message.
 *
 * @param initialText the first part as if it were the whole response
 */
export async function* framesOf(
  initialText: string,
  { pending, updates }: Pick<IncrementalResult<unknown, GraphQLFormattedError>, 'pending' | 'updates'>,
  dialect: IncrementalDialect,
): AsyncGenerator<string> {
  yield initialFrame(initialText, pending, dialect);
  for await (const update of updates) yield updateFrame(update, dialect);
}

/** The first part. Where nothing is pending it is the only one. */
export function initialFrame(
  initialText: string,
  pending: readonly PendingPart[],
  dialect: IncrementalDialect,
): string {
  const announced = dialect === 'v0.2' && pending.length > 0 ? `,"pending":${writePending(pending)}` : '';
  return `${initialText.slice(0, -1)}${announced},"hasNext":${pending.length > 0}}`;
}

/** What came together after the first part. */
export function updateFrame(update: ShownUpdate, dialect: IncrementalDialect): string {
  return dialect === 'v0.2' ? announcedFrame(update) : plainFrame(update);
}

function plainFrame({ completed, hasNext, extensions }: ShownUpdate): string {
  return `{"incremental":[${completed.map(plainItem).join()}],"hasNext":${hasNext}${extensionsMember(extensions)}}`;
}

function extensionsMember(extensions: ShownUpdate['extensions']): string {
  return extensions ? `,"extensions":${JSON.stringify(extensions)}` : '';
}

function plainItem({ pending, dataText = 'null', errors }: ShownPart): string {
  const label = pending.label === undefined ? '' : `"label":${JSON.stringify(pending.label)},`;
  return `{${label}"path":${JSON.stringify(pending.path)},"data":${dataText}${errorsMember(errors)}}`;
}

function announcedFrame({ completed, pending, hasNext, extensions }: ShownUpdate): string {
  const members = [
    pending.length > 0 ? `"pending":${writePending(pending)}` : '',
    arrayMember('incremental', completed.flatMap(addedItems)),
    arrayMember('completed', completed.map(completedItem)),
    `"hasNext":${hasNext}${extensionsMember(extensions)}`,
  ];
  return `{${members.filter((member) => member !== '').join()}}`;
}

function arrayMember(name: string, items: readonly string[]): string {
  return items.length > 0 ? `"${name}":[${items.join()}]` : '';
}

/** Errors that left data behind stand beside the first of it. */
function addedItems({ pending, dataText, added, errors }: ShownPart): readonly string[] {
  if (dataText === undefined) return [];
  const items = added.length === 0 && errors.length > 0 ? [{ path: pending.path, dataText: '{}' }] : added;
  return items.map((item, index) => {
    const below = item.path.slice(pending.path.length);
    const subPath = below.length > 0 ? `,"subPath":${JSON.stringify(below)}` : '';
    const own = index === 0 ? errorsMember(errors) : '';
    return `{"id":"${pending.id}"${subPath},"data":${item.dataText}${own}}`;
  });
}

function completedItem({ pending, dataText, errors }: ShownPart): string {
  return `{"id":"${pending.id}"${dataText === undefined ? errorsMember(errors) : ''}}`;
}

function writePending(pending: readonly PendingPart[]): string {
  return JSON.stringify(pending.map(({ id, path, label }) => ({ id, path, label })));
}

function errorsMember(errors: readonly GraphQLFormattedError[]): string {
  return errors.length > 0 ? `,"errors":${JSON.stringify(errors)}` : '';
}
