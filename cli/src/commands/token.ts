import { parseArgs } from 'node:util';
import { demoAccounts, demoPassword } from '@trellis/demo-data';
import { readPlatformFile } from '../platform/platform-file.ts';
import { resolve } from 'node:path';
import { SignInFailed } from '../token/sign-in-failed.ts';
import { obtainAccessToken } from '../token/obtain-access-token.ts';

const DEFAULT_SCOPE = 'openid profile email read:data read:profile write:data';
const USAGE = `npm run -s token -- [--account EMAIL] [--scope "…"]

Signs in to the running auth-server as a demo account, by the authorization code flow with PKCE, and prints an access token.
  --account  ${demoAccounts.map(({ email }) => email).join(', ')}; the first is the default
  --scope    default: ${DEFAULT_SCOPE}
  --issuer   default: the running platform's
`;
const EXIT_USAGE = 64;

const flags = readFlags();
if (flags.help) process.stdout.write(USAGE);
else await printToken();

function readFlags() {
  try {
    return parseArgs({
      options: {
        account: { type: 'string', default: demoAccounts[0]?.email ?? '' },
        scope: { type: 'string', default: DEFAULT_SCOPE },
        issuer: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(EXIT_USAGE);
  }
}

async function printToken(): Promise<void> {
  try {
    const token = await obtainAccessToken({
      issuer: new URL(flags.issuer ?? runningIssuer()),
      email: flags.account,
      password: demoPassword,
      scope: flags.scope,
    });
    process.stdout.write(`${token}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof SignInFailed ? explainRefusal(error) : explain(error)}\n`);
    process.exitCode = 1;
  }
}

/** The platform tells its address in its data directory; without it, the default one may still answer. */
function runningIssuer(): string {
  const running = readPlatformFile(resolve(process.env['DATA_DIR'] ?? '.data'));
  return running?.issuer ?? `http://localhost:${process.env['AUTH_PORT'] ?? '4001'}`;
}

/** The server does not tell whether there is an account; which ones this command can sign in is known. */
function explainRefusal({ message }: SignInFailed): string {
  const known = demoAccounts.map(({ email }) => email);
  if (known.includes(flags.account)) return message;
  return `There is no demo account ${flags.account}; there are ${known.join(', ')}.`;
}

function explain(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `No token: ${reason}\nIs the platform running? Start it with: npm start`;
}
