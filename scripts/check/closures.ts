import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parse } from 'yaml';

/** What is read of pnpm-lock.yaml, version 9. */
export interface Lockfile {
  /** By folder of this repository. */
  readonly importers: Readonly<Record<string, Dependent<{ readonly version: string }>>>;
  /** By name and version: what a package can be installed on. Absent members: everywhere. */
  readonly packages: Readonly<Record<string, Platforms>>;
  /** By name, version and peers: what a package brings. */
  readonly snapshots: Readonly<Record<string, Dependent<string>>>;
}

interface Dependent<Dependency> {
  readonly dependencies?: Readonly<Record<string, Dependency>>;
  readonly optionalDependencies?: Readonly<Record<string, Dependency>>;
}

interface Platforms {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/** How many packages of others a deployable may bring into production. */
export interface ClosureBound {
  /** Relative to the repository. */
  readonly folder: string;
  readonly atMost: number;
}

/** The bounds that `npm run check` holds. */
export const closureBounds: readonly ClosureBound[] = [
  { folder: 'gateway', atMost: 175 },
  { folder: 'auth-server', atMost: 110 },
];

/** What the images are built for: of native parts, which exist once for each platform, one is installed. */
const IMAGE = { os: 'linux', cpu: 'x64', libc: 'glibc' };

/** The lock file of a repository. */
export function readLockfile(directory: string): Lockfile {
  return parse(readFileSync(join(directory, 'pnpm-lock.yaml'), 'utf8')) as Lockfile; // pnpm wrote it
}

/** A closure that was counted. */
export interface CountedClosure extends ClosureBound {
  readonly packages: number;
}

/** Counts the closures that have a bound, by the lock file of a repository. */
export function countClosures(directory: string): readonly CountedClosure[] {
  const lock = readLockfile(directory);
  return closureBounds.map((bound) => ({ ...bound, packages: productionClosure(lock, bound.folder).size }));
}

/** Whether all are within their bounds. */
export function judgeClosures(closures: readonly CountedClosure[]): ClosureVerdict {
  const beyond = closures.filter(({ packages, atMost }) => packages > atMost);
  return {
    passed: beyond.length === 0,
    output: beyond
      .map(({ folder }) => `${folder} brings more packages into production than it may.`)
      .join('\n'),
    figures: closures.map(({ folder, packages, atMost }) => `${folder} ${packages} of ${atMost}`).join(', '),
  };
}

interface ClosureVerdict {
  readonly passed: boolean;
  /** What is wrong. */
  readonly output: string;
  /** `gateway 165 of 175, auth-server 110 of 110`. */
  readonly figures: string;
}

/**
 * The packages of others that an image of a folder carries, as `name@version`: what its production dependencies bring,
 * those of this repository's own packages included. These themselves do not count.
 */
export function productionClosure(lock: Lockfile, folder: string): ReadonlySet<string> {
  const walk = new ClosureWalk(lock);
  walk.enterFolder(folder);
  return walk.packages;
}

class ClosureWalk {
  readonly packages = new Set<string>();
  readonly #entered = new Set<string>();
  readonly #lock: Lockfile;

  constructor(lock: Lockfile) {
    this.#lock = lock;
  }

  enterFolder(folder: string): void {
    if (this.#entered.has(folder)) return;
    this.#entered.add(folder);
    const importer = this.#lock.importers[folder];
    if (!importer) throw new Error(`pnpm-lock.yaml knows no folder ${folder}.`);
    for (const [name, { version }] of dependenciesOf(importer)) {
      if (version.startsWith('link:')) this.enterFolder(posix.join(folder, version.slice('link:'.length)));
      else this.#enterPackage(name, version);
    }
  }

  #enterPackage(name: string, version: string): void {
    const own = `${name}@${version}`;
    const key = Object.hasOwn(this.#lock.snapshots, own) ? own : version; // an alias has its real name in the version
    const snapshot = this.#lock.snapshots[key];
    if (!snapshot) throw new Error(`pnpm-lock.yaml has no ${own}.`);
    const nameAndVersion = key.replace(/\(.*$/, '');
    if (this.#entered.has(key) || !runsInImage(this.#lock.packages[nameAndVersion])) return;
    this.#entered.add(key);
    this.packages.add(nameAndVersion);
    for (const [dependency, inner] of dependenciesOf(snapshot)) this.#enterPackage(dependency, inner);
  }
}

function dependenciesOf<Dependency>(dependent: Dependent<Dependency>): readonly [string, Dependency][] {
  return Object.entries({ ...dependent.dependencies, ...dependent.optionalDependencies });
}

function runsInImage({ os, cpu, libc }: Platforms = {}): boolean {
  return allows(os, IMAGE.os) && allows(cpu, IMAGE.cpu) && allows(libc, IMAGE.libc);
}

function allows(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.includes(name);
}
