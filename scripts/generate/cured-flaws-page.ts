import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { FLAW_NUMBERS, readPlantedFlaws, type PlantedFlaw } from '../planted-flaws/planted-flaw.ts';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/cured-flaws.md';

const INTRODUCTION = `<!-- Generated from scripts/planted-flaws/*.json by "npm run generate". -->

# Cured flaws

Two security reviews of version 0.1.0 found forty flaws. G are flaws of the gateway; H, M and L, by severity, flaws of the auth-server and
what surrounds it. Each line says what an attacker could do, and names the test that shows that it is cured.

\`npm run prove -- planted-flaws\` puts each of them back into a copy of this repository, one after the other. Its test must fail then, by
what it expects, and pass without the flaw ([ADR 133](adr/0133-cured-flaws-are-planted-again.md)).
`;

/** docs/cured-flaws.md: what an attacker could do, and the test that shows the cure. */
export async function generateCuredFlawsPage(): Promise<GeneratedFile> {
  const flaws = readPlantedFlaws();
  const sections = FLAW_NUMBERS.map((number) => {
    const lines = flaws.filter((flaw) => flaw.number === number).map(formatFlaw);
    return `## ${number}\n\n${lines.join('\n')}\n`;
  });
  const options = (await resolveConfig(join(repository, path))) ?? {};
  const text = `${INTRODUCTION}\n${sections.join('\n')}`;
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}

function formatFlaw({ flaw, testFile, test }: PlantedFlaw): string {
  return `- ${escape(flaw)} [${escape(test)}](../${testFile})`;
}

/** What Markdown or HTML would take for its own. */
function escape(text: string): string {
  return text.replaceAll(/[\\|*_<>[\]`]/g, String.raw`\$&`);
}
