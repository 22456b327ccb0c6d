import { replacedWords } from './replaced-words.ts';

/** What docs and code have a better word for, as patterns. */
export const oldWords: readonly string[] = replacedWords.flatMap(({ not }) => not);

/** JSON with sentences of ours: their values count, their keys don't. Of other JSON the words are data. */
export const checkedData: readonly RegExp[] = [
  /(?:^|\/)package\.json$/,
  /^\.oxlintrc\.json$/,
  /^auth-server\/behaviours\.json$/,
  /^e2e\/compatibility\/peers\.json$/,
  /^examples\/web\/tutorial\/steps\.json$/,
  /^scripts\/planted-flaws\/.*\.json$/,
  /^scripts\/titles\/record\.json$/,
];

/** A part of the repository, and how many lines of it may still have an old word. The bounds only ever fall. */
export interface Area {
  /** Paths relative to the repository; a file belongs to the first area that one of its paths begins. */
  readonly paths: readonly string[];
  readonly atMost: number;
}

/** Every tracked text belongs to one. */
export const areas: readonly Area[] = [
  { paths: ['gateway/'], atMost: 0 },
  { paths: ['auth-server/'], atMost: 0 },
  { paths: ['packages/'], atMost: 0 },
  { paths: ['services/'], atMost: 0 },
  { paths: ['cli/'], atMost: 0 },
  { paths: ['e2e/'], atMost: 0 },
  { paths: ['bench/'], atMost: 0 },
  { paths: ['docs/adr/'], atMost: 0 },
  { paths: ['docs/'], atMost: 0 },
  { paths: [''], atMost: 0 },
];

/** A line that keeps an old word, and why. */
export interface WordException {
  readonly path: string;
  /** A part of the line. */
  readonly text: string;
  readonly reason: string;
}

/** Lines that may keep an old word. */
export const wordExceptions: readonly WordException[] = [
  { path: 'scripts/check/word-list.ts', text: '', reason: 'the list itself' },
  { path: 'scripts/check/replaced-words.ts', text: '', reason: 'the list itself' },
  { path: 'docs/glossary.md', text: '| `', reason: 'its column of the words that are not used' },
  { path: 'scripts/check/find-old-words.test.ts', text: '', reason: 'tests what finds them' },
  {
    path: 'scripts/titles/record.json',
    text: 'lets nobody in between',
    reason: 'a title of before that is gone',
  },
  {
    path: 'scripts/titles/record.json',
    text: 'key that is there all the time',
    reason: 'a title of before that is gone',
  },
  { path: 'services/demo-data/src/sentences.ts', text: '', reason: 'sentences of demo posts' },
  { path: 'services/demo-data/src/topics.ts', text: '', reason: 'sentences of demo posts' },
  { path: 'services/posts/migrations/0001_create_posts.sql', text: '--', reason: 'an applied migration' },
  { path: 'services/search/migrations/0001_create_index.sql', text: '--', reason: 'an applied migration' },
  { path: 'services/users/migrations/0001_create_profiles.sql', text: '--', reason: 'an applied migration' },
  {
    path: 'packages/dev-stores/src/embedded-postgres/README.md',
    text: 'else as `nobody`',
    reason: 'the name of a system user',
  },
  {
    path: 'packages/dev-stores/src/embedded-postgres/account.ts',
    text: "['postgres', 'nobody']",
    reason: 'the name of a system user',
  },
  {
    path: 'e2e/fixtures/copied-tables/posts/0001_create_posts.sql',
    text: '',
    reason: 'a copy of an applied migration',
  },
  {
    path: 'e2e/fixtures/copied-tables/search/0001_create_index.sql',
    text: '',
    reason: 'a copy of an applied migration',
  },
  {
    path: 'e2e/fixtures/copied-tables/users/0001_create_profiles.sql',
    text: '',
    reason: 'a copy of an applied migration',
  },
  { path: 'README.md', text: '"title": "Nobody told me', reason: 'the title of a demo post' },
  { path: 'auth-server/migrations/0001_create_account.sql', text: '--', reason: 'an applied migration' },
  { path: 'e2e/browser/sign-in.test.ts', text: 'Content Security Policy', reason: 'words of a browser' },
  { path: 'e2e/fixtures/small-subgraph.ts', text: 'connections are', reason: 'what TCP calls it' },
  { path: 'e2e/harness/subgraph-tap.ts', text: 'connections are', reason: 'what TCP calls it' },
  {
    path: 'gateway/src/identity/key-set.test.ts',
    text: 'connection refused',
    reason: 'the message of an operating system',
  },
  {
    path: 'docs/changelog/gateway-protection.md',
    text: '(before: `a subgraph is left',
    reason: 'a log message of before',
  },
  { path: 'docs/adr/0147-one-list-of-words.md', text: '', reason: 'says what the words were' },
  {
    path: 'docs/changelog/gateway-protection.md',
    text: '`limits.subgraphCalls` is',
    reason: 'a setting of before',
  },
  { path: 'docs/changelog/gateway-protection.md', text: 'were words of ours', reason: 'metrics of before' },
  {
    path: 'docs/changelog/gateway-protection.md',
    text: '`traffic.concurrency.calls` is',
    reason: 'settings of before',
  },
  {
    path: 'docs/changelog/gateway-protection.md',
    text: '`http.unanswered` is',
    reason: 'a setting and a metric of before',
  },
  {
    path: 'docs/changelog/gateway-protection.md',
    text: '`trellis_gateway_subgraph_repeated_requests_total` is',
    reason: 'a metric of before',
  },
  { path: 'bench/results/gateway-paired.md', text: 'planner thread', reason: 'a measurement of before' },
  { path: 'docs/operations.md', text: 'else to `nobody`', reason: 'the name of a system user' },
];
