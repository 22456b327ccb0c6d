import { valueFromASTUntyped, type ConstDirectiveNode } from 'graphql';

/** The values that a directive was given, by argument. */
export type DirectiveArguments = Readonly<Record<string, unknown>>;

/** The arguments of each application of a directive. */
export function applied(
  directives: readonly ConstDirectiveNode[] | undefined,
  name: string,
): readonly DirectiveArguments[] {
  return (directives ?? [])
    .filter((directive) => directive.name.value === name)
    .map(({ arguments: given = [] }) =>
      Object.fromEntries(given.map((argument) => [argument.name.value, valueFromASTUntyped(argument.value)])),
    );
}
