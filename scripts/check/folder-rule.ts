import { dirname } from 'node:path';
import { own } from '@trellis/runtime/own-property';
import { findCycle } from './find-cycle.ts';
import type { Project, Room } from './floors/project.ts';
import type { FileImport, RepositoryImports } from './repository-imports.ts';

/**
 * Holds the imports of a repository against the floors of its rooms:
 * - An import goes to a room on a lower floor, or stays in its room.
 * - A room and its sub-folders import one another without a cycle; so do the folders in a room that is laid out as a whole.
 * - Every room that holds a file or is imported is listed, and every listed room holds a file or is read.
 * - No room imports tests, proofs/ or testing/, which may import all of their project.
 * - A room with `onlyFor` is imported by those alone; where rooms are laid out as a whole, this holds for tests, proofs/ and testing/ too.
 * - Another package is imported by its name, as it exports itself, and never by a path: not by tests either.
 *
 * @returns what is wrong, one sentence each; nothing when all is well
 */
export function findBrokenFloors(
  projects: readonly Project[],
  { files, imports, computed }: RepositoryImports,
): readonly string[] {
  const unreadable = computed
    .filter((place) => projects.some((project) => isLaidOut(project, place.replace(/:\d+$/, ''))))
    .filter((place) => !ON_TOP.test(place.replace(/:\d+$/, '')))
    .map((place) => `${place}: the path of a dynamic import is written out, so that its floor is known.`);
  return [
    ...projects.flatMap((project) => [
      ...findUnlisted(project, files, imports),
      ...findEmpty(project, [...files, ...imports.map(({ to }) => to)]),
      ...imports.flatMap((found) => judge(project, found)),
      ...findCycles(project, imports),
    ]),
    ...imports
      .filter(({ passesExports }) => passesExports)
      .map(({ from, to }) => `${from} imports ${to}: another package is imported by its name.`),
    ...unreadable,
  ];
}

/** What the repository as a whole is judged by: its code, and no data, page or package of others. */
const OUR_CODE = /^(?!node_modules\/).*\.[cm]?[jt]sx?$/;

/** Tests, and folders that only tests and proofs use. */
const ON_TOP = /\.(test|proof)\.[cm]?[jt]sx?$|(^|\/)(proofs|testing)\//;

/** Where a file is in its project. */
interface Place {
  /** Name of the room, or undefined for what stands above all rooms. */
  readonly room: string | undefined;
  /** Path of the sub-folder within the room; empty for the room itself. */
  readonly part: string;
}

const TOP: Place = { room: undefined, part: '' };

/** Undefined for a file of another project. */
function placeOf(
  { folder, sources = '.', whole, testsOnTop = true, rooms }: Project,
  file: string,
): Place | undefined {
  const inside = within(folder, file);
  if (inside === undefined) return undefined;
  if (folder === '.' && !OUR_CODE.test(inside)) return undefined;
  if (testsOnTop && ON_TOP.test(inside)) return TOP;
  const path = within(sources, inside);
  if (path === undefined || path === '') return undefined; // the folder that holds the rooms is none of them
  if (whole === true) return { room: wholeRoomOf(rooms, path), part: '' };
  const [first = '', ...rest] = path.split('/');
  return { room: first, part: rest.slice(0, -1).join('/') };
}

/** Whether a file belongs to a project with floors of its own; programs above them may load what their arguments name. */
function isLaidOut(project: Project, file: string): boolean {
  return project.folder !== '.' && placeOf(project, file) !== undefined;
}

/** The path of a file below a folder; undefined where it is elsewhere. */
function within(folder: string, file: string): string | undefined {
  if (folder === '.') return file;
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : undefined;
}

/** The listed folder that holds a file, or else the first folder of its path. */
function wholeRoomOf(rooms: Project['rooms'], path: string): string {
  const folders = path.split('/');
  const listed = folders
    .map((_, index) => folders.slice(0, index + 1).join('/'))
    .find((name) => Object.hasOwn(rooms, name));
  return listed ?? folders[0] ?? '';
}

function nameOf({ room, part }: Place): string {
  return part === '' ? `${room}` : `${room}/${part}`;
}

function findUnlisted(
  project: Project,
  files: readonly string[],
  imports: readonly FileImport[],
): readonly string[] {
  const unlisted = new Map<string, string>();
  for (const file of [...files, ...imports.map(({ to }) => to)]) {
    const place = placeOf(project, file);
    if (place?.room === undefined || isListed(project, place)) continue;
    if (!unlisted.has(nameOf(place))) unlisted.set(nameOf(place), file);
  }
  return [...unlisted].map(
    ([name, file]) =>
      `${project.folder}: ${name} is no room of scripts/check/floors/, and ${file} stands in it.`,
  );
}

function isListed({ rooms }: Project, { room = '', part }: Place): boolean {
  if (!Object.hasOwn(rooms, room)) return false;
  return part === '' || Object.hasOwn(rooms[room]?.parts ?? {}, part);
}

function findEmpty(project: Project, files: readonly string[]): readonly string[] {
  const places = files.map((file) => placeOf(project, file)).filter((place) => place !== undefined);
  const taken = new Set(places.map(nameOf));
  return Object.entries(project.rooms)
    .flatMap(([room, { parts = {} }]) => [room, ...Object.keys(parts).map((part) => `${room}/${part}`)])
    .filter((name) => !taken.has(name) && ![...taken].some((other) => other.startsWith(`${name}/`)))
    .map((name) => `${project.folder}: ${name} is a room of scripts/check/floors/ without a file.`);
}

/** What is wrong with one import, in one project. */
function judge(project: Project, found: FileImport): readonly string[] {
  const problems = judgeFloors(project, found);
  return problems.length > 0 ? problems : judgeGuest(project, found);
}

function judgeFloors(project: Project, { from, to }: FileImport): readonly string[] {
  const [above, below] = [placeOf(project, from), placeOf(project, to)];
  if (above?.room === undefined || below === undefined) return [];
  const print = (why: string): readonly string[] => [`${from} imports ${to}: ${why}`];
  if (below.room === undefined && project.whole) return []; // a matter of the project that lays out that room
  if (below.room === undefined) return print('tests, proofs/ and testing/ stand above all rooms.');
  if (above.room === below.room) return [];
  const [importer, imported] = [roomOf(project, above.room), roomOf(project, below.room)];
  if (importer === undefined || imported === undefined) return []; // reported as unlisted
  if (importer.floor === imported.floor)
    return print(`${above.room} and ${below.room} are on the same floor, ${imported.floor}.`);
  if (importer.floor < imported.floor)
    return print(
      `${below.room} is on floor ${imported.floor}, above ${above.room} on floor ${importer.floor}.`,
    );
  return [];
}

/** Whether a room is for the one that imports it. Tests stand above the rooms of their own project, and above no other. */
function judgeGuest(project: Project, { from, to }: FileImport): readonly string[] {
  const rooms = project.whole ? { ...project, testsOnTop: false } : project;
  const [above, below] = [placeOf(rooms, from), placeOf(rooms, to)];
  if (above?.room === undefined || below?.room === undefined || above.room === below.room) return [];
  const { onlyFor } = roomOf(project, below.room) ?? {};
  if (onlyFor === undefined || onlyFor.includes(above.room)) return [];
  return [`${from} imports ${to}: ${below.room} is only for ${onlyFor.join(', ')}.`];
}

function roomOf({ rooms }: Project, name: string): Room | undefined {
  return own(rooms, name);
}

/** Sub-folders of one folder that import one another in a circle; in a room that is laid out as a whole, its inner folders and files. */
function findCycles(project: Project, imports: readonly FileImport[]): readonly string[] {
  const graphs = new Map<string, Map<string, Map<string, FileImport>>>();
  const place = project.whole && project.folder !== '.' ? innerPlaces(imports) : placeOf;
  for (const found of imports) {
    const [from, to] = [place(project, found.from), place(project, found.to)];
    if (from?.room === undefined || from.room !== to?.room || from.part === to.part) continue;
    const graph = graphs.get(from.room) ?? new Map<string, Map<string, FileImport>>();
    const edges = graph.get(nameOf(from)) ?? new Map<string, FileImport>();
    graphs.set(from.room, graph.set(nameOf(from), edges.set(nameOf(to), found)));
  }
  return [...graphs.values()].flatMap((graph) => {
    const cycle = findCycle(graph);
    return cycle === undefined ? [] : [`${project.folder}: ${formatCycle(cycle)}`];
  });
}

/**
 * As {@link placeOf}, with the folder in the room. Beside sub-folders a file is a part of its own: some stand above those, some below.
 * Generated code is no part.
 */
function innerPlaces(imports: readonly FileImport[]): typeof placeOf {
  const files = imports.flatMap(({ from, to }) => [from, to]);
  const parents = new Set(files.map((file) => dirname(dirname(file))));
  return (project, file) => {
    const place = placeOf(project, file);
    if (place?.room === undefined || file.includes('/generated/')) return undefined;
    const folder = dirname(file);
    return {
      room: place.room,
      part: within(`${project.folder}/${place.room}`, parents.has(folder) ? file : folder) ?? '',
    };
  };
}

function formatCycle(cycle: readonly { readonly node: string; readonly edge: FileImport }[]): string {
  const rooms = [...cycle, ...cycle.slice(0, 1)].map(({ node }) => node).join(' → ');
  const files = cycle.map(({ edge: { from, to } }) => `${from} imports ${to}`).join(', ');
  return `${rooms} is a cycle: ${files}.`;
}
