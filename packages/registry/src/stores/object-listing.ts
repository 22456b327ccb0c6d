import { RegistryError } from '../registry-error.ts';

/** An object of a bucket. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly writtenAt: Date;
}

/** A page of ListObjectsV2. */
export interface ObjectListing {
  readonly objects: readonly ListedObject[];
  /** Names up to the delimiter. */
  readonly prefixes: readonly string[];
  /** Undefined: it was the last page. */
  readonly continuationToken: string | undefined;
}

const entities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Reads the XML of ListObjectsV2: elements without attributes, whose texts are names, numbers and times. A registry gives its objects
 * names that need no escape, and takes no others for its own; so this is no reader of XML.
 *
 * @throws RegistryError STORE_UNAVAILABLE where it is something else
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
export function readObjectListing(xml: string): ObjectListing {
  if (!/<ListBucketResult[\s>]/.test(xml))
    throw unreadable('What responds is no object store: it does not list objects.');
  if (!xml.includes('</ListBucketResult>')) throw unreadable('A listing of the object store has no end.');
  return {
    objects: elementsOf(xml, 'Contents').map(objectOf),
    prefixes: elementsOf(xml, 'CommonPrefixes').map((element) => neededText(element, 'Prefix')),
    continuationToken: isTruncated(xml) ? neededText(xml, 'NextContinuationToken') : undefined,
  };
}

function objectOf(element: string): ListedObject {
  const key = neededText(element, 'Key');
  const writtenAt = new Date(neededText(element, 'LastModified'));
  const bytes = Number(neededText(element, 'Size'));
  if (Number.isNaN(writtenAt.getTime()) || !Number.isSafeInteger(bytes))
    throw unreadable('A listing of the object store has an object without a readable time and size.');
  return { key, bytes, writtenAt };
}

function isTruncated(xml: string): boolean {
  const text = neededText(xml, 'IsTruncated');
  if (text === 'true' || text === 'false') return text === 'true';
  throw unreadable('A listing of the object store does not say whether it is the last page.');
}

/** What gc deletes, it knows by listings: in one that is not understood, nothing is passed over. */
function unreadable(message: string): RegistryError {
  return new RegistryError('STORE_UNAVAILABLE', message);
}

function neededText(xml: string, name: string): string {
  const text = textOf(xml, name);
  if (text !== undefined && text !== '') return text;
  throw unreadable(`A listing of the object store has no readable <${name}>.`);
}

function elementsOf(xml: string, name: string): readonly string[] {
  const elements = xml.split(`<${name}>`).slice(1);
  const begun = xml.match(new RegExp(`<${name}[\\s/>]`, 'g')) ?? [];
  if (begun.length > elements.length || elements.some((rest) => !rest.includes(`</${name}>`)))
    throw unreadable(`A listing of the object store has a <${name}> that can't be read.`);
  return elements.flatMap((rest) => rest.split(`</${name}>`, 1));
}

function textOf(xml: string, name: string): string | undefined {
  const [first] = elementsOf(xml, name);
  return first?.replaceAll(/&([a-z]+);/g, (whole, entity: string) => entities.get(entity) ?? whole);
}
