import { runSupergraphCommand } from '../supergraph/supergraph-command.ts';

process.exitCode = await runSupergraphCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});
