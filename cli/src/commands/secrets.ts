import { generateSecrets } from '../secrets/generate-secrets.ts';

const lines = Object.entries(await generateSecrets()).map(([name, value]) => `${name}='${value}'\n`);
process.stdout.write(lines.join(''));
