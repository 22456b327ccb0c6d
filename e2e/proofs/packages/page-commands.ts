import { codeBlocks } from '../../documentation/code-blocks.ts';

const PAGE = 'docs/packages.md';

/** The commands that the page has readers type; the proof runs each of them. */
const PAGE_COMMANDS = {
  install: 'npm install trellis',
  gateway: 'npx trellis gateway supergraph.graphql',
  platform: 'npx trellis start',
  compose: 'npx trellis supergraph compose --config supergraph.yaml --output supergraph.graphql',
} as const;

/** The words of a command behind `npx`. */
export function npxWords(command: keyof typeof PAGE_COMMANDS): readonly string[] {
  return PAGE_COMMANDS[command].replace(/^npx /, '').split(' ');
}

/** @throws Error where the page has a command, or a file, that is not tried, or the proof one that the page has not */
export function requireSamePage(files: readonly string[]): void {
  const blocks = codeBlocks(PAGE);
  const lines = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.trim().split('\n'));
  requireSame(lines, Object.values(PAGE_COMMANDS));
  const written = blocks.filter(({ language }) => language !== 'sh').map(({ note }) => note);
  requireSame(written, files);
}

function requireSame(onPage: readonly string[], tried: readonly string[]): void {
  if (onPage.toSorted().join('\n') !== tried.toSorted().join('\n'))
    throw new Error(`${PAGE} has\n${onPage.join('\n')}\nand what is tried is\n${tried.join('\n')}`);
}
