import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';
import { checkFloors } from './check-floors.ts';
import { checks } from '../checks.ts';
import { projects } from './floors.ts';
import type { Project } from './floors/project.ts';
import { repositoryRooms } from './floors/repository.ts';
import { findBrokenFloors } from './folder-rule.ts';
import { readRepositoryImports, type FileImport } from './repository-imports.ts';

/** A house of three floors, with one folder that has sub-folders. */
const house: Project = {
  folder: 'house',
  sources: 'src',
  introduction: 'A house.',
  rooms: {
    'main.ts': { floor: 3, purpose: 'starts' },
    routes: {
      floor: 2,
      purpose: 'answers',
      parts: { admin: 'answers administrators', 'admin/pages': 'pages' },
    },
    store: { floor: 1, purpose: 'keeps', onlyFor: ['routes'] },
    tokens: { floor: 1, purpose: 'signs' },
  },
};

/** Files without imports, one for each room. */
const rooms = {
  'house/src/main.ts': '',
  'house/src/routes/index.ts': '',
  'house/src/routes/admin/index.ts': '',
  'house/src/routes/admin/pages/index.ts': '',
  'house/src/store/index.ts': '',
  'house/src/tokens/index.ts': '',
};

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'floors-'));
});

afterEach(() => rm(directory, { recursive: true }));

/** What the rule says of a repository of these files beside one of each room. */
async function judge(files: Readonly<Record<string, string>>, project = house): Promise<readonly string[]> {
  for (const [path, text] of Object.entries({ ...rooms, ...files })) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return findBrokenFloors([project], readRepositoryImports(directory, [project.folder]));
}

describe('Floors', () => {
  it('let a room import what is below it, and itself', async () => {
    expect(
      await judge({
        'house/src/main.ts': "import './routes/index.ts'; import './tokens/index.ts';",
        'house/src/routes/index.ts':
          "import './admin/index.ts'; import './other.ts'; import '../store/index.ts';",
        'house/src/routes/other.ts': "import './admin/pages/index.ts';",
        'house/src/routes/admin/index.ts': "import './pages/index.ts'; import '../../store/index.ts';",
      }),
    ).toEqual([]);
  });

  it.each([
    ["import { route } from '../routes/index.ts';"],
    ["import type { Route } from '../routes/index.ts';"],
    ["export type { Route } from '../routes/index.ts';"],
    ["const route = await import('../routes/index.ts');"],
    ["let route: import('../routes/index.ts').Route;"],
    ["new Worker(new URL('../routes/index.ts', import.meta.url));"],
  ])('reject an import that goes up: %s', async (text) => {
    expect(await judge({ 'house/src/tokens/jws.ts': text })).toEqual([
      'house/src/tokens/jws.ts imports house/src/routes/index.ts: routes is on floor 2, above tokens on floor 1.',
    ]);
  });

  it('reject an import that goes up by the name of a package', async () => {
    const manifest = { name: '@house/all', exports: { '.': { 'trellis-source': './src/main.ts' } } };
    expect(
      await judge({
        'house/package.json': JSON.stringify(manifest),
        'house/src/tokens/jws.ts': "import { main } from '@house/all';",
      }),
    ).toEqual([
      'house/src/tokens/jws.ts imports house/src/main.ts: main.ts is on floor 3, above tokens on floor 1.',
    ]);
  });

  it('reject an import of a room on the same floor', async () => {
    expect(await judge({ 'house/src/tokens/jws.ts': "import '../store/index.ts';" })).toEqual([
      'house/src/tokens/jws.ts imports house/src/store/index.ts: tokens and store are on the same floor, 1.',
    ]);
  });

  it('reject a cycle of sub-folders, though no files form one', async () => {
    expect(
      await judge({
        'house/src/routes/index.ts': "import './admin/index.ts';",
        'house/src/routes/paths.ts': '',
        'house/src/routes/admin/pages/index.ts': "import '../../paths.ts';",
        'house/src/routes/admin/index.ts': "import './pages/index.ts';",
      }),
    ).toEqual([
      'house: routes → routes/admin → routes/admin/pages → routes is a cycle: ' +
        'house/src/routes/index.ts imports house/src/routes/admin/index.ts, ' +
        'house/src/routes/admin/index.ts imports house/src/routes/admin/pages/index.ts, ' +
        'house/src/routes/admin/pages/index.ts imports house/src/routes/paths.ts.',
    ]);
  });

  it('reject a cycle of folders in a room that is laid out as a whole; files beside folders stand above or below them', async () => {
    const shelf: Project = {
      folder: 'shelf',
      whole: true,
      introduction: 'A shelf of packages.',
      rooms: { jars: { floor: 1, purpose: 'keeps' } },
    };
    const files = {
      'shelf/jars/src/index.ts': "import './lids/lid.ts';",
      'shelf/jars/src/glass.ts': '',
      'shelf/jars/src/lids/lid.ts': "import '../glass.ts'; import '../labels/label.ts';",
      'shelf/jars/src/labels/label.ts': '',
    };
    expect(await judge(files, shelf)).toEqual([]);
    const circle = {
      ...files,
      'shelf/jars/src/labels/ink.ts': "import '../lids/seal.ts';",
      'shelf/jars/src/lids/seal.ts': '',
    };
    expect(await judge(circle, shelf)).toEqual([
      'shelf: jars/src/lids → jars/src/labels → jars/src/lids is a cycle: ' +
        'shelf/jars/src/lids/lid.ts imports shelf/jars/src/labels/label.ts, ' +
        'shelf/jars/src/labels/ink.ts imports shelf/jars/src/lids/seal.ts.',
    ]);
  });

  it('reject a room that is not listed', async () => {
    expect(await judge({ 'house/src/cellar/wine.ts': '' })).toEqual([
      'house: cellar is no room of scripts/check/floors/, and house/src/cellar/wine.ts stands in it.',
    ]);
  });

  it('reject a sub-folder that is not listed', async () => {
    expect(await judge({ 'house/src/routes/people/index.ts': '' })).toEqual([
      'house: routes/people is no room of scripts/check/floors/, and house/src/routes/people/index.ts stands in it.',
    ]);
  });

  it('reject a root file that is not listed', async () => {
    expect(await judge({ 'house/src/clock.ts': '' })).toEqual([
      'house: clock.ts is no room of scripts/check/floors/, and house/src/clock.ts stands in it.',
    ]);
  });

  it('reject an unlisted folder without sources that is read', async () => {
    expect(
      await judge({ 'house/src/routes/index.ts': "new URL('../scripts/swap.lua', import.meta.url);" }),
    ).toContain(
      'house: scripts is no room of scripts/check/floors/, and house/src/scripts/swap.lua stands in it.',
    );
  });

  it('reject a listed room without a file', async () => {
    const attic = { ...house, rooms: { ...house.rooms, attic: { floor: 4, purpose: 'is empty' } } };
    expect(await judge({}, attic)).toEqual([
      'house: attic is a room of scripts/check/floors/ without a file.',
    ]);
  });

  it('reject a room to those above whom it is not for', async () => {
    expect(await judge({ 'house/src/main.ts': "import './store/index.ts';" })).toEqual([
      'house/src/main.ts imports house/src/store/index.ts: store is only for routes.',
    ]);
  });

  it('let tests, proofs/ and testing/ import everything', async () => {
    const imports = "import '../../src/main.ts'; import '../../src/testing/server.ts';";
    expect(
      await judge({
        'house/src/testing/server.ts': "import '../main.ts';",
        'house/src/tokens/jws.test.ts': imports,
        'house/proofs/races/race.ts': imports,
      }),
    ).toEqual([]);
  });

  it.each(['../testing/server.ts', '../tokens/jws.test.ts', '../../proofs/race.ts'])(
    'reject a room to import %s',
    async (specifier) => {
      const files = {
        'house/src/testing/server.ts': '',
        'house/src/tokens/jws.test.ts': '',
        'house/proofs/race.ts': '',
        'house/src/routes/index.ts': `import '${specifier}';`,
      };
      expect(await judge(files)).toEqual([
        `house/src/routes/index.ts imports ${join('house/src/routes', specifier)}: tests, proofs/ and testing/ stand above all rooms.`,
      ]);
    },
  );

  it('reject a dynamic import that is computed', async () => {
    expect(await judge({ 'house/src/tokens/jws.ts': '\nawait import(name);' })).toEqual([
      'house/src/tokens/jws.ts:2: the path of a dynamic import is written out, so that its floor is known.',
    ]);
  });

  it('of rooms that are whole folders leave what is inside to itself', async () => {
    const whole: Project = {
      folder: '.',
      whole: true,
      testsOnTop: false,
      introduction: 'All.',
      rooms: {
        house: { floor: 2, purpose: 'a house' },
        'grounds/garden': { floor: 1, purpose: 'a garden' },
      },
    };
    expect(
      await judge(
        {
          'house/src/tokens/jws.ts': "import '../routes/index.ts'; import '../../../grounds/garden/tree.ts';",
          'grounds/garden/tree.ts': '',
          'grounds/garden/tree.test.ts': "import '../../house/src/main.ts';",
        },
        whole,
      ),
    ).toEqual([
      'grounds/garden/tree.test.ts imports house/src/main.ts: house is on floor 2, above grounds/garden on floor 1.',
    ]);
  });
});

describe('What is only for some', () => {
  /** Two deployables, the program that runs them, and a package. */
  const whole: Project = {
    folder: '.',
    whole: true,
    introduction: 'All.',
    rooms: {
      e2e: { floor: 4, purpose: 'drives' },
      program: { floor: 3, purpose: 'runs', onlyFor: ['e2e'] },
      house: { floor: 2, purpose: 'a deployable', onlyFor: ['program', 'e2e'] },
      shed: { floor: 2, purpose: 'a deployable', onlyFor: ['program', 'e2e'] },
      tools: { floor: 1, purpose: 'a package' },
    },
  };
  const named = (name: string): string =>
    JSON.stringify({ name, exports: { './testing': { 'trellis-source': './src/testing/index.ts' } } });
  const files = {
    'e2e/both.test.ts': "import 'house/testing'; import 'shed/testing';",
    'e2e/stage.ts': "import 'house/testing';",
    'program/package.json': named('program'),
    'program/src/main.ts': '',
    'program/src/testing/index.ts': "import 'shed/testing';",
    'house/package.json': named('house'),
    'house/src/testing/index.ts': '',
    'shed/package.json': named('shed'),
    'shed/src/main.ts': '',
    'shed/src/testing/index.ts': '',
    'tools/src/hammer.ts': '',
  };

  it('is so for tests of other rooms too, which the named ones may import', async () => {
    expect(await judge(files, whole)).toEqual([]);
  });

  it.each([
    'shed/src/key.test.ts',
    'shed/src/testing/stage.ts',
    'shed/proofs/race.ts',
    'tools/src/saw.test.ts',
  ])('rejects an import of a deployable by %s', async (path) => {
    const text = "import type { Stage } from 'house/testing';";
    expect(await judge({ ...files, [path]: text }, whole)).toEqual([
      `${path} imports house/src/testing/index.ts: house is only for program, e2e.`,
    ]);
  });

  it('rejects an import of the program that runs deployables by a test of one', async () => {
    const test = { 'house/src/main.test.ts': "import 'program/testing';" };
    expect(await judge({ ...files, ...test }, whole)).toEqual([
      'house/src/main.test.ts imports program/src/testing/index.ts: program is only for e2e.',
    ]);
  });
});

describe('Packages', () => {
  const packages = {
    'house/package.json': '{ "name": "house" }',
    'shed/package.json':
      '{ "name": "shed", "exports": { "./testing": { "trellis-source": "./src/testing/index.ts" } } }',
    'shed/src/testing/index.ts': '',
  };

  it('are imported by their names, also by tests', async () => {
    const text = "import '../../shed/src/testing/index.ts';";
    expect(await judge({ ...packages, 'house/src/main.test.ts': text })).toEqual([
      'house/src/main.test.ts imports shed/src/testing/index.ts: another package is imported by its name.',
    ]);
    const named = "import 'shed/testing'; import './main.ts';";
    expect(await judge({ ...packages, 'house/src/main.test.ts': named })).toEqual([]);
  });

  it.each(['gateway', 'auth-server'])('are published without what the tests of others import', (folder) => {
    const { exports, publishConfig } = JSON.parse(
      readFileSync(join(repository, folder, 'package.json'), 'utf8'),
    ) as Readonly<Record<'exports', object>> & { readonly publishConfig: { readonly exports: object } };
    const { './testing': testing, ...published } = exports as Record<string, unknown>;
    expect(testing).toMatchObject({ 'trellis-source': './src/testing/index.ts' });
    expect(publishConfig.exports).toEqual(published);
  });
});

/** An import from every room to each that is above it. */
function upwardImports({ folder, sources, rooms }: Project, files: readonly string[]): readonly FileImport[] {
  const isProduct = (file: string): boolean => !/\.test\.|(?:^|\/)(?:proofs|testing)\//.test(file);
  const fileIn = (room: string): string | undefined => {
    const path = [folder, sources ?? '.', room].filter((part) => part !== '.').join('/');
    return files.find((file) => isProduct(file) && (file === path || file.startsWith(`${path}/`)));
  };
  const placed = Object.entries(rooms).map(([room, { floor }]) => ({ floor, file: fileIn(room) }));
  return placed.flatMap(({ floor, file: from }) =>
    placed
      .filter((other) => other.floor > floor)
      .flatMap(({ file: to }) => (from === undefined || to === undefined ? [] : [{ from, to }])),
  );
}

describe('The repository', () => {
  it('keeps to its floors', () => {
    expect(checkFloors(repository)).toEqual([]);
  });

  it('is held against them by npm run check', async () => {
    const check = checks.find(({ name }) => name === 'floors');
    expect(await check?.run()).toEqual({ passed: true, output: '' });
  });

  it('rejects one upward import, whichever two rooms it is between', () => {
    const read = readRepositoryImports(
      repository,
      projects.map(({ folder }) => folder),
    );
    const upwards = projects.flatMap((project) => upwardImports(project, read.files));
    const broken = findBrokenFloors(projects, { ...read, imports: upwards });
    const passed = upwards.filter(
      ({ from, to }) => !broken.some((sentence) => sentence.startsWith(`${from} imports ${to}: `)),
    );
    expect(upwards.length).toBeGreaterThan(500);
    expect(passed).toEqual([]);
  });

  it('keeps the tests of each deployable from every other, and from the program that runs them', () => {
    const { floor } = repositoryRooms.rooms['gateway'] ?? {};
    const deployables = Object.entries(repositoryRooms.rooms)
      .filter(([, room]) => room.floor === floor)
      .map(([name]) => name);
    const imports = deployables.flatMap((importer) =>
      [...deployables, 'cli']
        .filter((imported) => imported !== importer)
        .map((imported) => ({ from: `${importer}/src/a.test.ts`, to: `${imported}/src/testing/index.ts` })),
    );
    const broken = findBrokenFloors([repositoryRooms], { files: [], imports, computed: [] });
    const passed = imports.filter(
      ({ from, to }) => !broken.some((sentence) => sentence.startsWith(`${from} imports ${to}: `)),
    );
    expect(deployables).toEqual(expect.arrayContaining(['auth-server', 'services/search']));
    expect(passed).toEqual([]);
  });

  it('keeps every deployable, and the program, from all that is beside or below it', () => {
    const { floor: top = 0 } = repositoryRooms.rooms['gateway'] ?? {};
    const below = Object.entries(repositoryRooms.rooms).filter(([, room]) => room.floor <= top);
    const imported = [...below.filter(([, room]) => room.floor === top).map(([name]) => name), 'cli'];
    const imports = below.flatMap(([importer]) =>
      ['src/a.ts', 'src/a.test.ts', 'src/testing/a.ts', 'proofs/a.ts'].flatMap((file) =>
        imported
          .filter((other) => other !== importer)
          .map((other) => ({ from: `${importer}/${file}`, to: `${other}/src/index.ts` })),
      ),
    );
    const broken = findBrokenFloors([repositoryRooms], { files: [], imports, computed: [] });
    const passed = imports.filter(
      ({ from, to }) => !broken.some((sentence) => sentence.startsWith(`${from} imports ${to}: `)),
    );
    expect(below.map(([name]) => name)).toEqual(expect.arrayContaining(['packages', 'services/demo-data']));
    expect(imported).toHaveLength(7);
    expect(passed).toEqual([]);
  });

  it('recognizes each of them by its name', () => {
    const { floor } = repositoryRooms.rooms['gateway'] ?? {};
    const folders = Object.entries(repositoryRooms.rooms)
      .filter(([name, room]) => room.floor === floor || name === 'cli')
      .map(([name]) => name);
    const { imports } = readRepositoryImports(repository, ['cli', 'scripts']); // which import them all, and by no path
    const missed = folders.filter(
      (folder) =>
        !imports.some(({ from, to }) => to.startsWith(`${folder}/`) && !from.startsWith(`${folder}/`)),
    );
    expect(missed).toEqual([]);
  });

  it('gives every room a purpose', () => {
    const purposes = projects.flatMap((project) =>
      Object.values(project.rooms).flatMap(({ purpose, parts }) => [purpose, ...Object.values(parts ?? {})]),
    );
    expect(purposes.filter((purpose) => purpose.length < 5 || purpose.includes('\n'))).toEqual([]);
  });
});
