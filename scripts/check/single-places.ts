import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fact that is written in one file. */
export interface SinglePlace {
  /** How a second one looks. */
  readonly pattern: RegExp;
  /** The file that holds it. Default: it is data of another form, and no file may. */
  readonly place?: string;
  /** What to do about a second one. */
  readonly advice: string;
  /** Files that hold one all the same, and why. */
  readonly exceptions?: Readonly<Record<string, string>>;
}

/** Facts that stood in several files once. */
export const singlePlaces: readonly SinglePlace[] = [
  {
    pattern: /\bEXIT_[A-Z]+ = \d/gu,
    place: 'packages/runtime/src/command-line/exit-codes.ts',
    advice: 'Import the exit status from @trellis/runtime/exit-codes.',
  },
  {
    pattern: /\benv\['(?:DATA_DIR|[A-Z]+_PORT)'\]\s*(?:\?\?|\|\|)/gu,
    advice: 'The default stands in environmentTable: read it by readDataDirectory and the like.',
  },
  {
    pattern: /'q='|parameters\.get\('q'\)|accept-negotiator/gu,
    place: 'packages/http1/src/fields.ts',
    advice: 'Read preferences by readPreferences or choosePreferred of @trellis/http1/fields.',
  },
  {
    pattern: /import \{[^}]*\b(?:un)?watch(?:File)?\b[^}]*\} from 'node:fs(?:\/promises)?'/gu,
    advice: 'Watch files by watchFile of @trellis/runtime/watch-file.',
    exceptions: {
      'docs-site/copy-pages.ts':
        "a project outside the workspace, which can't import @trellis/runtime by its name",
    },
  },
  {
    pattern: /-----BEGIN CERTIFICATE-----\[/gu,
    place: 'packages/runtime/src/config/pem.ts',
    advice: 'Read certificates by readCertificates of @trellis/runtime/pem.',
  },
  {
    pattern: /\/\^\[\\x21-\\x7e\]\{1,255\}\$\//gu,
    place: 'packages/subgraph-protocol/src/idempotency-key.ts',
    advice: 'Import IDEMPOTENCY_KEY from @trellis/subgraph-protocol/idempotency-key.',
  },
  {
    pattern: /= 'trellis-preview\+jwt'/gu,
    place: 'packages/registry/src/variant.ts',
    advice: 'Import PREVIEW_TOKEN_TYPE from @trellis/registry.',
  },
  {
    pattern: /\/\^\[_A-Za-z\]\\w\{0,254\}\\\./gu,
    place: 'packages/release-verdict/src/operations-paths.ts',
    advice: 'Import FIELD_COORDINATE from @trellis/release-verdict.',
  },
  {
    pattern: /= 'role:'/gu,
    place: 'packages/subgraph-protocol/src/user-context/user-context.ts',
    advice: 'Import ROLE_POLICY_PREFIX from @trellis/subgraph-protocol/user-context.',
  },
  {
    pattern: /= '-'\.repeat\(43\)/gu,
    place: 'auth-server/src/clients/client-registry.ts',
    advice: 'Import NO_HASH from clients/client-registry.ts.',
  },
  {
    pattern: /MAX_GRACE_S(?:: number)? = /gu,
    place: 'auth-server/src/administration/clients.ts',
    advice: 'Import MAX_GRACE_S from administration/clients.ts.',
  },
  {
    pattern: /= 'https:\/\/specs\.apollo\.dev\/join'/gu,
    place: 'gateway/src/supergraph/linked-directives.ts',
    advice: 'Import JOIN_IDENTITY from supergraph/linked-directives.ts.',
  },
  {
    pattern: /0x6d_?2b_?79_?f5/giu,
    place: 'packages/testkit/src/random.ts',
    advice: 'Make random numbers of a seed by createRandom of @trellis/testkit/random.',
    exceptions: {
      'services/demo-data/src/random.ts':
        'makes content of products, which have no testkit, and is on the floor of the packages',
    },
  },
];

const SOURCES: readonly string[] = ['*.ts', '*.tsx', '*.mjs'];
const OWN_FILES = /^scripts\/check\/single-places(?:\.test)?\.ts$/u;

/**
 * Finds facts that are written a second time.
 *
 * @param directory the repository
 * @returns what is wrong, one sentence each
 */
export function checkSinglePlaces(directory: string): readonly string[] {
  const options = { cwd: directory, encoding: 'utf8', maxBuffer: 2 ** 24 } as const;
  const paths = execFileSync('git', ['ls-files', '-z', ...SOURCES], options)
    .split('\0')
    .filter((path) => path !== '' && !OWN_FILES.test(path));
  const found = paths.flatMap((path) => {
    const text = readFileSync(join(directory, path), 'utf8');
    return singlePlaces.map((fact) => ({ path, fact, lines: findSecond(text, fact) }));
  });
  return [
    ...found
      .filter(({ path, fact }) => !placesOf(fact).includes(path))
      .flatMap(({ path, fact, lines }) => lines.map((line) => `${path}:${line}: ${fact.advice}`)),
    ...singlePlaces
      .flatMap((fact) => placesOf(fact).map((path) => ({ fact, path })))
      .filter(
        ({ fact, path }) =>
          !found.some((one) => one.path === path && one.fact === fact && one.lines.length > 0),
      )
      .map(
        ({ path, fact }) =>
          `${path} holds nothing like ${fact.pattern}; scripts/check/single-places.ts names it.`,
      ),
  ];
}

/** @returns the lines at which a text holds it */
export function findSecond(text: string, { pattern }: SinglePlace): readonly number[] {
  return [...text.matchAll(pattern)].map(({ index }) => text.slice(0, index).split('\n').length);
}

function placesOf({ place, exceptions = {} }: SinglePlace): readonly string[] {
  return [...(place === undefined ? [] : [place]), ...Object.keys(exceptions)];
}
