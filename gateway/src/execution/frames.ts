import type { GraphQLFormattedError } from 'graphql';
import type {
  CompletedPart,
  IncrementalResult,
  IncrementalUpdate,
  PendingPart,
  StreamedItems,
} from './incremental-result.ts';

/**
 * How parts are written.
 *
 * `20220824`: each part is an item of `incremental` with `path`, `label` and the data of its whole fragment, or `items` of a list.
 * `v0.2`: parts are listed as `pending`, come as `incremental` without what came before, and end as `completed`.
 *
 * @see https://specs.apollo.dev/incremental/v0.1/ and https://specs.apollo.dev/incremental/v0.2/
 */
export type IncrementalDialect = '20220824' | 'v0.2';

type ShownUpdate = IncrementalUpdate<GraphQLFormattedError>;
type ShownPart = CompletedPart<GraphQLFormattedError>;
type ShownItems = StreamedItems<GraphQLFormattedError>;

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
  const listed = dialect === 'v0.2' && pending.length > 0 ? `,"pending":${writePending(pending)}` : '';
  return `${initialText.slice(0, -1)}${listed},"hasNext":${pending.length > 0}}`;
}

/** What came together after the first part. */
export function updateFrame(update: ShownUpdate, dialect: IncrementalDialect): string {
  return dialect === 'v0.2' ? pendingFrame(update) : plainFrame(update);
}

function plainFrame({ completed, streamed, hasNext, extensions }: ShownUpdate): string {
  const items = [...completed.map(plainItem), ...streamed.flatMap(plainItems)];
  return `{"incremental":[${items.join()}],"hasNext":${hasNext}${extensionsMember(extensions)}}`;
}

function extensionsMember(extensions: ShownUpdate['extensions']): string {
  return extensions ? `,"extensions":${JSON.stringify(extensions)}` : '';
}

/** The path of items ends with the index of the first. A list that ends early has null for the item that it can't hold. */
function plainItems({ pending, itemTexts, errors, endedBy }: ShownItems): readonly string[] {
  const { items: before = 0 } = pending;
  const entry = (index: number, items: string, own: readonly GraphQLFormattedError[]): string =>
    `{${labelMember(pending)}"path":${JSON.stringify([...pending.path, index])},"items":${items}${errorsMember(own)}}`;
  const there =
    itemTexts.length > 0 || errors.length > 0 ? [entry(before, `[${itemTexts.join()}]`, errors)] : [];
  return endedBy ? [...there, entry(before + itemTexts.length, 'null', endedBy)] : there;
}

function labelMember({ label }: PendingPart): string {
  return label === undefined ? '' : `"label":${JSON.stringify(label)},`;
}

function plainItem({ pending, dataText = 'null', errors }: ShownPart): string {
  return `{${labelMember(pending)}"path":${JSON.stringify(pending.path)},"data":${dataText}${errorsMember(errors)}}`;
}

function pendingFrame({ completed, streamed, pending, hasNext, extensions }: ShownUpdate): string {
  const members = [
    pending.length > 0 ? `"pending":${writePending(pending)}` : '',
    arrayMember('incremental', [...completed.flatMap(addedItems), ...streamed.flatMap(pendingItems)]),
    arrayMember('completed', [...completed.map(completedItem), ...streamed.flatMap(completedList)]),
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

function pendingItems({ pending, itemTexts, errors }: ShownItems): readonly string[] {
  if (itemTexts.length === 0 && errors.length === 0) return [];
  return [`{"id":"${pending.id}","items":[${itemTexts.join()}]${errorsMember(errors)}}`];
}

function completedList({ pending, isLast, endedBy = [] }: ShownItems): readonly string[] {
  return isLast ? [`{"id":"${pending.id}"${errorsMember(endedBy)}}`] : [];
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
