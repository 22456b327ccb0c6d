import type { Command } from 'commander';
import { writeFileAtomically } from '../supergraph/write-file-atomically.ts';
import { attemptOperations, jsonLine, momentOf } from './attempt-operations.ts';
import { checkList, type UnservedOperation } from './check-list.ts';
import { labelOf, manifestText, OperationLists, type ListName } from './operation-lists.ts';
import { OperationsProblem } from '../recorded/operations-problem.ts';
import { readDocuments, type ListedDocument } from './read-documents.ts';

interface CheckFlags {
  readonly against?: string;
  readonly limits?: string;
}

interface Named {
  readonly client: string;
  /** commander has `--version` for the program. */
  readonly clientVersion?: string;
}

interface PublishFlags extends Named, CheckFlags {
  readonly from: string;
  readonly lists: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

interface RetireFlags extends Named {
  readonly lists: string;
  readonly on: string;
  readonly json?: boolean;
}

interface CheckListFlags extends CheckFlags {
  readonly against: string;
  readonly from?: string;
  readonly lists?: string;
  readonly json?: boolean;
}

const DOCUMENTS =
  "Apollo's manifest, Relay's persisted queries, graphql-codegen's persisted documents, or a folder of .graphql files";

/** `publish`, `check`, `retire` and `import`: lists of what clients may send. */
export function addListCommands(command: Command): void {
  withName(command.command('publish'))
    .description('publishes the operations of a version of a client: it may run those and no others')
    .requiredOption('--from <FILE|FOLDER>', DOCUMENTS)
    .option('--against <GRAPH>', 'checks them first; as for check')
    .option('--limits <FILE>', 'the gateway.yaml in force')
    .option('--replace', 'takes the place of other operations of that version')
    .action(attemptOperations(publish));
  command
    .command('check')
    .description('validates and plans every operation as a gateway does')
    .requiredOption('--against <GRAPH>', 'a supergraph, a supergraph.yaml, a release, a URL, or git:REVISION')
    .option('--from <FILE|FOLDER>', DOCUMENTS)
    .option('--lists <FOLDER>', 'every published list that is not retired')
    .option('--limits <FILE>', 'the gateway.yaml in force')
    .option('--json', 'as an object')
    .action(attemptOperations(check));
  withName(command.command('retire'))
    .description('withdraws a version of a client: gateways reject it')
    .option('--on <TIME>', '2026-12-31, 2026-12-31T08:00:00Z, or never; default: now', 'now')
    .action(attemptOperations(retire));
  command
    .command('import')
    .description("writes a list in Apollo's format, without publishing it")
    .requiredOption('--from <FILE|FOLDER>', DOCUMENTS)
    .option('--output <FILE>', 'where it goes; default: the standard output')
    .action(attemptOperations(importDocuments));
}

async function publish({
  from,
  lists,
  replace = false,
  against,
  limits,
  json,
  ...name
}: PublishFlags): Promise<void> {
  const documents = await readDocuments(from);
  if (against !== undefined) await rejectUnserved(documents, against, limits);
  const isNew = await new OperationLists(lists).publish(nameOf(name), documents, replace);
  const label = labelOf(nameOf(name));
  const done = isNew
    ? `${documents.length} operations of ${label} published.`
    : `${label} is published already.`;
  process.stdout.write(json ? jsonLine({ published: isNew, operations: documents.length }) : `${done}\n`);
}

async function check({ from, lists, against, limits, json }: CheckListFlags): Promise<void> {
  const documents = [
    ...(from === undefined ? [] : await readDocuments(from)),
    ...(lists === undefined ? [] : await publishedDocuments(lists)),
  ];
  if (from === undefined && lists === undefined)
    throw new OperationsProblem(
      'INVALID_OPTION',
      'Say what is checked: --from FILE or FOLDER, or --lists FOLDER.',
    );
  const unserved = await checkList(documents, against, limits);
  if (json) process.stdout.write(jsonLine({ operations: documents.length, unserved }));
  if (unserved.length > 0) throw notServed(unserved, json === true);
  if (!json) process.stdout.write(`${documents.length} operations are served.\n`);
}

async function publishedDocuments(folder: string): Promise<readonly ListedDocument[]> {
  const lists = new OperationLists(folder);
  const live = (await lists.all()).filter(
    ({ retires }) => retires === undefined || new Date(retires) > new Date(),
  );
  return (await Promise.all(live.map((list) => readDocuments(lists.fileOf(list))))).flat();
}

async function rejectUnserved(
  documents: readonly ListedDocument[],
  against: string,
  limits: string | undefined,
): Promise<void> {
  const unserved = await checkList(documents, against, limits);
  if (unserved.length > 0) throw notServed(unserved, false);
}

function notServed(unserved: readonly UnservedOperation[], isBrief: boolean): OperationsProblem {
  const lines = unserved.map(({ place, code, message }) => `\n  ${place}: ${code}: ${message}`);
  const head = `${unserved.length} of the operations are not served by that graph.`;
  return new OperationsProblem('OPERATION_NOT_SERVED', isBrief ? head : head + lines.join(''));
}

async function retire({ lists, on, json, ...name }: RetireFlags): Promise<void> {
  const of = nameOf(name);
  const at = on === 'never' ? undefined : on === 'now' ? new Date() : momentOf('--on', on);
  await new OperationLists(lists).retire(of, at);
  const done = at ? `is retired on ${at.toISOString()}` : 'is served on';
  process.stdout.write(json ? jsonLine({ ...of, retires: at }) : `${labelOf(of)} ${done}.\n`);
}

async function importDocuments({
  from,
  output,
}: {
  readonly from: string;
  readonly output?: string;
}): Promise<void> {
  const text = manifestText(await readDocuments(from));
  if (output === undefined) process.stdout.write(text);
  else await writeFileAtomically(output, text);
}

function nameOf({ client, clientVersion: version }: Named): ListName {
  return { client, ...(version !== undefined && { version }) };
}

function withName(command: Command): Command {
  return command
    .requiredOption('--client <NAME>', 'as the client names itself: graphql-client-name; or oauth:CLIENT_ID')
    .option('--client-version <TEXT>', 'its version; default: every version without a list of its own')
    .requiredOption('--lists <FOLDER>', 'persistedQueries.lists of gateway.yaml')
    .option('--json', 'as an object');
}
