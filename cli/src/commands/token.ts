import { demoAccounts, demoPassword } from '@trellis/demo-data';
import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { readAuthPort, readDataDirectory } from '../platform/environment-table.ts';
import { readPlatformFile } from '../platform/platform-file.ts';
import { obtainAccessToken } from '../token/obtain-access-token.ts';
import { SignInFailed } from '../token/sign-in-failed.ts';

const DEFAULT_SCOPE = 'openid profile email read:data read:profile write:data';
const emails = demoAccounts.map(({ email }) => email);

/** What the command line may say. */
interface TokenFlags {
  readonly account: string;
  readonly scope: string;
  readonly issuer?: string;
  readonly json?: boolean;
}

/** `trellis token`: an access token of a demo account, on standard output. */
export function tokenCommand(): CliCommand {
  const command = new Command('token')
    .description(
      'Signs in to the running auth-server as a demo account, by the authorization code flow with PKCE, and prints an access token.',
    )
    .option('--account <EMAIL>', emails.join(', '), emails[0])
    .option('--scope <SCOPE>', 'what the token may be used for, in quotes', DEFAULT_SCOPE)
    .option('--issuer <URL>', "default: the running platform's")
    .option('--json', 'the token with its account, scope and issuer')
    .action((flags: TokenFlags) => printToken(flags));
  return { command };
}

async function printToken({ account, scope, issuer: given, json = false }: TokenFlags): Promise<void> {
  try {
    const issuer = given ?? runningIssuer();
    const token = await obtainAccessToken({
      issuer: new URL(issuer),
      email: account,
      password: demoPassword,
      scope,
    });
    const shown = json ? JSON.stringify({ access_token: token, account, scope, issuer }) : token;
    process.stdout.write(`${shown}\n`);
  } catch (error) {
    process.stderr.write(
      `${error instanceof SignInFailed ? explainRejection(error, account) : explain(error)}\n`,
    );
    process.exitCode = 1;
  }
}

/** The platform writes its address into its data directory; without it, the default one may still answer. */
function runningIssuer(): string {
  const running = readPlatformFile(readDataDirectory(process.env));
  return running?.issuer ?? `http://localhost:${readAuthPort(process.env)}`;
}

/** The server does not say whether there is an account; which ones this command can sign in is known. */
function explainRejection({ message }: SignInFailed, account: string): string {
  if (emails.includes(account)) return message;
  return `There is no demo account ${account}; there are ${emails.join(', ')}.`;
}

function explain(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `No token: ${reason}\nIs the platform running? Start it with: npm start`;
}
