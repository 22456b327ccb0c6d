import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseSupergraphConfigText } from '@trellis/composition';
import { writeFileAtomically } from '../supergraph/write-file-atomically.ts';
import { fieldNameOf, subgraphFiles } from './subgraph-files.ts';

/** What is asked for. */
export interface NewSubgraph {
  readonly name: string;
  /** Of its entity. @default made from the name */
  readonly type?: string | undefined;
  /** Where it listens. @default 4021 */
  readonly port?: number | undefined;
  /** Where it goes; absent or empty; in the repository within services/. @default services/NAME in the repository, NAME elsewhere */
  readonly folder?: string | undefined;
  /** Where the command runs. */
  readonly directory: string;
  /** Of the packages. */
  readonly version: string;
}

/** A subgraph that can't be made; the message says why. Nothing was written. */
export class SubgraphRejected extends Error {
  override readonly name = 'SubgraphRejected';
}

/** Beside those of `npm start`, whose sample application has 4020. */
const DEFAULT_PORT = 4021;
/** A name is a variable in code, a prefix of environment variables, a schema in the database and a folder. */
const NAME = /^[a-z][a-z0-9_]{1,30}$/;
/** It stands in supergraph.yaml. */
const FOLDER = /^[A-Za-z0-9][\w-]*$/;
const TYPE = /^[A-Z][A-Za-z0-9]{0,40}$/;
const reservedNames = new Set(
  (
    'public postgres information_schema prototype constructor arguments await break case catch class const continue debugger default ' +
    'delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null ' +
    'package private protected return static super switch this throw true try typeof undefined var void while with yield ' +
    'gateway auth trellis process'
  ).split(' '),
);
/** What the resolvers import, and export. A field has the name of its type. */
const reservedFields = new Set('add createId parseId requireUserId badUserInput resolvers'.split(' '));
const reservedTypes = new Set(
  'Query Mutation Subscription String Int Float Boolean ID Pool Transaction'.split(' '),
);

/**
 * Writes a new subgraph. In the repository of Trellis it also joins supergraph.yaml.
 *
 * @returns the folder, relative to where the command runs, and whether it joined supergraph.yaml
 * @throws SubgraphRejected; Error with a system call for files
 */
export async function writeNewSubgraph(
  asked: NewSubgraph,
): Promise<{ readonly folder: string; readonly isJoined: boolean }> {
  const { name, port = DEFAULT_PORT, directory, version } = asked;
  const typeName = asked.type ?? typeNameOf(name);
  checkNames(name, typeName, port);
  const isRepository = existsSync(join(directory, 'packages/subgraph-kit/package.json'));
  const folder = resolve(directory, asked.folder ?? (isRepository ? `services/${name}` : name));
  if (isRepository && !(dirname(folder) === join(directory, 'services') && FOLDER.test(basename(folder))))
    throw new SubgraphRejected(
      'In the repository a subgraph is a folder of services/, whose packages are linked.',
    );
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new SubgraphRejected(`${relative(directory, folder) || 'This folder'} is not empty.`);
  const config = isRepository ? join(directory, 'supergraph.yaml') : undefined;
  const joined =
    config === undefined
      ? undefined
      : joinedText(config, { name, port, folder: relative(directory, folder) });
  const files = subgraphFiles({ name, typeName, port, version: isRepository ? undefined : version });
  writeFolder(folder, files);
  if (config !== undefined && joined !== undefined)
    await writeFileAtomically(config, joined).catch((error: unknown) => {
      rmSync(folder, { recursive: true });
      throw error;
    });
  return { folder: relative(directory, folder) || '.', isJoined: config !== undefined };
}

/** `likes` → `Like`, `news_items` → `NewsItem`. */
function typeNameOf(name: string): string {
  const words = name.split('_').filter((word) => word !== '');
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return joined.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '');
}

function checkNames(name: string, typeName: string, port: number): void {
  if (!NAME.test(name))
    throw new SubgraphRejected(
      `"${name}" is no name of a subgraph: a small letter, then 1 to 30 small letters, digits or _.`,
    );
  if (reservedNames.has(name) || name.startsWith('pg_'))
    throw new SubgraphRejected(
      `The name ${name} is reserved: it is a word of JavaScript, PostgreSQL or Trellis.`,
    );
  if (!TYPE.test(typeName)) throw new SubgraphRejected(`"${typeName}" is no name of a type: --type Like.`);
  const field = fieldNameOf(typeName);
  if (reservedTypes.has(typeName) || reservedNames.has(field) || reservedFields.has(field))
    throw new SubgraphRejected(`The type ${typeName} has a meaning of its own: say another one by --type.`);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new SubgraphRejected('--port takes a number from 1 to 65535.');
}

/** The configuration with the new subgraph at its end; comments and order stay. */
function joinedText(
  file: string,
  { name, port, folder }: Readonly<Record<'name' | 'folder', string>> & { readonly port: number },
): string {
  const text = readFileSync(file, 'utf8');
  const { subgraphs } = parseSupergraphConfigText(text, file);
  if (subgraphs.some((subgraph) => subgraph.name === name))
    throw new SubgraphRejected(`supergraph.yaml has a subgraph ${name} already.`);
  const taken = subgraphs.find(({ routingUrl }) => new URL(routingUrl).port === String(port));
  if (taken) throw new SubgraphRejected(`Port ${port} is that of ${taken.name}: say another one by --port.`);
  const joined = `${text.trimEnd()}
  ${name}:
    routing_url: http://localhost:${port}/graphql
    schema:
      file: ${folder}/src/schema.graphql
`;
  if (!parseSupergraphConfigText(joined, file).subgraphs.some((subgraph) => subgraph.name === name))
    throw new SubgraphRejected('supergraph.yaml must end with its subgraphs.');
  return joined;
}

/** Written beside, and renamed: a new folder has all files, or none. One that exists stays the same folder: a shell may be in it. */
function writeFolder(folder: string, files: Readonly<Record<string, string>>): void {
  const isEmptyFolder = existsSync(folder);
  const draft = join(isEmptyFolder ? folder : dirname(folder), `.new-subgraph-${randomUUID()}`);
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(draft, path)), { recursive: true });
      writeFileSync(join(draft, path), text);
    }
    if (!isEmptyFolder) return renameSync(draft, folder);
    for (const entry of readdirSync(draft)) renameSync(join(draft, entry), join(folder, entry));
    rmdirSync(draft);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}
