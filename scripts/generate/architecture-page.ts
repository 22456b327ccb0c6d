import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { projects } from '../check/floors.ts';
import type { Project, Room } from '../check/floors/project.ts';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/architecture.md';

const introduction = `<!-- Generated from scripts/check/floors/ by "npm run generate". -->

# Architecture: rooms and floors

A room is a folder with the files directly in it, or a file at the root of its project. Each room has a floor and one purpose.
\`npm run check\` holds every import against these rules:

- An import goes to a room on a lower floor, or stays in its room. Rooms on the same floor do not import each other.
- Imports of types count, and so do dynamic imports and \`new URL('…', import.meta.url)\`.
- A folder and its sub-folders, all on one floor, import one another without a cycle.
- Tests, \`proofs/\` and \`testing/\` stand above all rooms of their project. A limit on who may import a room holds for tests
  too: a test of two deployables stands in \`e2e/\`.
- Import another package by its name, through its exports, and never by its path.
- A room that is not listed is an error. There are no exemptions.

So a reader who starts at the lowest floor never meets a name that is explained further up. A type belongs to the lowest room
that needs it. If two rooms need each other, a third room below them is missing, or they are one room. The table of rooms is
\`scripts/check/floors/\`. A new folder is one line in it.
`;

/** docs/architecture.md: the floors of every project, drawn from the table that `npm run check` enforces. */
export async function generateArchitecturePage(): Promise<GeneratedFile> {
  const options = (await resolveConfig(join(repository, path))) ?? {};
  const page = [introduction, ...projects.map(formatProject)].join('\n');
  return { path, content: await format(page, { ...options, parser: 'markdown' }) };
}

function formatProject(project: Project): string {
  const folder = project.sources === undefined ? project.folder : `${project.folder}/${project.sources}`;
  const title = folder === '.' ? 'The repository' : `\`${folder}/\``;
  return [`## ${title}\n`, `${project.introduction}\n`, drawFloors(project), formatRooms(project)].join('\n');
}

/** The rooms of each floor in a line, the top floor first. */
function drawFloors(project: Project): string {
  const lines = floorsOf(project).map(([floor, rooms]) => {
    const names = rooms.map(([name, { parts }]) => nameOf(name, parts));
    return `${String(floor).padStart(2)} │ ${names.join('   ')}`;
  });
  return ['```text', ...lines, '```', ''].join('\n');
}

function nameOf(room: string, parts: Room['parts'] = {}): string {
  const inner = Object.keys(parts);
  const name = isFile(room) ? room : `${room}/`;
  return inner.length === 0 ? name : `${name}{${inner.join(',')}}`;
}

function isFile(room: string): boolean {
  return /\.[a-z]+$/.test(room);
}

function formatRooms(project: Project): string {
  const rows = floorsOf(project).flatMap(([floor, rooms]) =>
    rooms.flatMap(([name, room]) => [
      formatRow(floor, nameOf(name), room.purpose + formatOnly(room)),
      ...Object.entries(room.parts ?? {}).map(([part, purpose]) =>
        formatRow(floor, `${name}/${part}/`, purpose),
      ),
    ]),
  );
  return ['| Floor | Room | Purpose |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function formatRow(floor: number, room: string, purpose: string): string {
  return `| ${floor} | \`${room}\` | ${purpose.replaceAll('|', String.raw`\|`)} |`;
}

function formatOnly({ onlyFor }: Room): string {
  return onlyFor === undefined
    ? ''
    : ` (imported only by ${onlyFor.map((name) => `\`${name}/\``).join(', ')})`;
}

/** Rooms by floor, the top floor first, in the order of the table. */
function floorsOf({ rooms }: Project): readonly (readonly [number, readonly (readonly [string, Room])[]])[] {
  const floors = [...new Set(Object.values(rooms).map(({ floor }) => floor))].toSorted(
    (one, other) => other - one,
  );
  return floors.map((floor) => [floor, Object.entries(rooms).filter(([, room]) => room.floor === floor)]);
}
