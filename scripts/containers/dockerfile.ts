/** An instruction of a Dockerfile, its continuation lines joined. */
export interface Instruction {
  /** In capitals: `RUN`. */
  readonly keyword: string;
  readonly argument: string;
}

/** What stands between two FROM lines, the first one included. */
export interface Stage {
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** Reads a Dockerfile into its stages. Instructions before the first FROM are dropped. */
export function parseDockerfile(text: string): readonly Stage[] {
  const stages: { base: string; instructions: Instruction[] }[] = [];
  for (const instruction of parseInstructions(text)) {
    if (instruction.keyword === 'FROM') stages.push({ base: instruction.argument, instructions: [] });
    else stages.at(-1)?.instructions.push(instruction);
  }
  return stages;
}

function parseInstructions(text: string): readonly Instruction[] {
  return text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => /^(\w+)\s+(.*)$/.exec(line.trim()))
    .filter((match) => match !== null)
    .map(([, keyword = '', argument = '']) => ({ keyword: keyword.toUpperCase(), argument }));
}

/** The variables that a stage's ENV instructions set. */
export function environmentOf({ instructions }: Stage): Readonly<Record<string, string>> {
  const pairs = instructions
    .filter(({ keyword }) => keyword === 'ENV')
    .flatMap(({ argument }) => argument.split(/\s+/))
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const);
  return Object.fromEntries(pairs);
}
