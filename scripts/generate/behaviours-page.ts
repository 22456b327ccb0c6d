import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repository } from '../programs/run-program.ts';
import { readCitations, type Citation } from './citations.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/authorization-behaviours.md';

/** One numbered statement about the auth-server. */
interface Behaviour {
  readonly id: string;
  /** P0: a rule of security or of the contract. P1: what clients and people expect. P2: good to have. */
  readonly level: 'P0' | 'P1' | 'P2';
  readonly section: string;
  readonly behaviour: string;
  /** The standard that asks for it. */
  readonly source: string;
}

const introduction = `<!-- Generated from auth-server/behaviours.json and the titles of the tests by "npm run generate". -->

# What the auth-server does, and the test that proves it

Every behaviour has a number, and every number is cited by at least one test: \`npm run check\` fails otherwise. P0 is a rule of
security or of [the contract](contract.md), P1 what clients and people expect, P2 good to have. Tests run by \`npm test\`; a
*proof* is run by \`npm run prove\`.
`;

/**
 * docs/authorization-behaviours.md: each behaviour of the auth-server beside the tests that cite its number.
 *
 * @throws Error naming the behaviours that no test cites
 */
export async function generateBehavioursPage(): Promise<GeneratedFile> {
  const behaviours = readBehaviours();
  const citations = readCitations(repository);
  const uncited = behaviours.filter(({ id }) => !citations.has(id)).map(({ id }) => id);
  if (uncited.length > 0) throw new Error(`No test cites ${uncited.join(', ')}.`);
  const sections = [...new Set(behaviours.map(({ section }) => section))].map((section) =>
    formatSection(
      section,
      behaviours.filter((behaviour) => behaviour.section === section),
      citations,
    ),
  );
  const options = (await resolveConfig(join(repository, path))) ?? {};
  const content = await format([introduction, ...sections].join('\n'), { ...options, parser: 'markdown' });
  return { path, content };
}

function readBehaviours(): readonly Behaviour[] {
  const file = join(repository, 'auth-server/behaviours.json');
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Behaviour[]; // kept in the repository
}

function formatSection(
  title: string,
  behaviours: readonly Behaviour[],
  citations: ReadonlyMap<string, readonly Citation[]>,
): string {
  const rows = behaviours.map(
    ({ id, level, behaviour, source }) =>
      `| ${id} | ${level} | ${escape(behaviour)} | ${escape(source)} | ${formatCitations(citations.get(id) ?? [])} |`,
  );
  const head = ['| Number | | Behaviour | From | Proven by |', '| --- | --- | --- | --- | --- |'];
  return [`## ${title}\n`, ...head, ...rows, ''].join('\n');
}

function formatCitations(citations: readonly Citation[]): string {
  return citations.map(({ title, file }) => `${escape(title)} ([${nameOf(file)}](../${file}))`).join('<br>');
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.ts$/, '');
}

/** What Markdown or HTML would take for its own. */
function escape(text: string): string {
  return text.replaceAll(/[\\|*_<>[\]`]/g, String.raw`\$&`);
}
