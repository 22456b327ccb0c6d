import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { generateSecrets } from '../secrets/generate-secrets.ts';

/** `trellis secrets`: a set of new secrets as lines of an environment file. */
export function secretsCommand(): CliCommand {
  const command = new Command('secrets')
    .description('Prints new secrets for a production environment, a line each.')
    .option('--json', 'as an object')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const secrets = await generateSecrets();
      const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'\n`);
      process.stdout.write(json ? `${JSON.stringify(secrets)}\n` : lines.join(''));
    });
  return { command };
}
