import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repository } from '../programs/run-program.ts';
import { readCitations, type Citation } from './citations.ts';
import type { GeneratedFile } from './generated-file.ts';

const folder = 'docs/authorization-behaviours';

/** One numbered statement about the auth-server. */
interface Behaviour {
  readonly id: string;
  /** P0: a rule of security or of the contract. P1: what clients and users expect. P2: good to have. */
  readonly level: 'P0' | 'P1' | 'P2';
  readonly section: string;
  readonly behaviour: string;
  /** How a requirement of a profile is met. */
  readonly met?: string;
  /** The standard that asks for it. */
  readonly source: string;
}

const GENERATED =
  '<!-- Generated from auth-server/behaviours.json and the titles of the tests by "npm run generate". -->\n';

const introduction = `${GENERATED}
# What the auth-server does, and the test that proves it

Every behaviour has a number, and every number is cited by at least one test: \`npm run check\` fails otherwise. P0 is a rule of
security or of [the contract](contract.md), P1 what clients and users expect, P2 good to have. Tests run by \`npm test\`; a
*proof* is run by \`npm run prove\`.
`;

/**
 * docs/authorization-behaviours.md, and below it a page for each topic: each behaviour of the auth-server beside the tests that
 * cite its number.
 *
 * @throws Error naming the behaviours that no test cites
 */
export async function generateBehavioursPages(): Promise<readonly GeneratedFile[]> {
  const behaviours = readBehaviours();
  const citations = readCitations(repository);
  const uncited = behaviours.filter(({ id }) => !citations.has(id)).map(({ id }) => id);
  if (uncited.length > 0) throw new Error(`No test cites ${uncited.join(', ')}.`);
  const sections = [...new Set(behaviours.map(({ section }) => section))];
  const links = sections.map((section) => {
    const { length } = behaviours.filter((behaviour) => behaviour.section === section);
    return `- [${section}](authorization-behaviours/${fileNameOf(section)}): ${length}`;
  });
  return Promise.all([
    formatPage(`${folder}.md`, `${introduction}\n${links.join('\n')}\n`),
    ...sections.map((section) => {
      const members = behaviours.filter((behaviour) => behaviour.section === section);
      return formatPage(`${folder}/${fileNameOf(section)}`, writePage(section, members, citations));
    }),
  ]);
}

async function formatPage(path: string, text: string): Promise<GeneratedFile> {
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}

function fileNameOf(section: string): string {
  return `${section.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.md`;
}

function readBehaviours(): readonly Behaviour[] {
  const file = join(repository, 'auth-server/behaviours.json');
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Behaviour[]; // of this repository
}

/** A list: the rows of a table would be padded to the longest of them. */
function writePage(
  title: string,
  behaviours: readonly Behaviour[],
  citations: ReadonlyMap<string, readonly Citation[]>,
): string {
  const entries = behaviours.map(({ id, level, behaviour, met, source }) =>
    [
      `## ${id}\n`,
      `${escape(behaviour)}\n`,
      ...(met === undefined ? [] : [`Met: ${escape(met)}\n`]),
      `${level}, from ${escape(source)}. Proven by:\n`,
      ...formatCitations(citations.get(id) ?? []),
      '',
    ].join('\n'),
  );
  return [GENERATED, `# ${title}\n`, ...entries].join('\n');
}

function formatCitations(citations: readonly Citation[]): readonly string[] {
  return citations.map(({ title, file }) => `- ${escape(title)} ([${nameOf(file)}](../../${file}))`);
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.ts$/, '');
}

/** What Markdown or HTML would take for its own. */
function escape(text: string): string {
  return text.replaceAll(/[\\|*_<>[\]`]/g, String.raw`\$&`);
}
