import type { DirectiveDefinition, Schema } from '@apollo/federation-internals';

/** Of the specification that says which subgraph resolves what. */
export const JOIN_IDENTITY = 'https://specs.apollo.dev/join';

/**
 * The directives of a supergraph that mean the one a specification calls `name`, under whatever names they were
 * imported: `@link(url: "https://specs.apollo.dev/authenticated/v0.1", as: "login")` makes `@login` mean `authenticated`.
 * A directive that no specification claims is taken by its own name.
 *
 * @param identity the specification's URL without its version; any specification when absent
 */
export function linkedDirectives(schema: Schema, name: string, identity?: string): DirectiveDefinition[] {
  return schema.directives().filter((definition) => {
    const source = schema.coreFeatures?.sourceFeature(definition);
    if (!source) return definition.name === name;
    return source.nameInFeature === name && (!identity || source.feature.url.identity === identity);
  });
}

/** Anything of a schema that directives can be applied to. */
export interface Annotated {
  appliedDirectivesOf(
    definition: DirectiveDefinition,
  ): readonly { arguments(includeDefaultValues?: boolean): Readonly<Record<string, unknown>> }[];
}

/** The arguments of each application of one of `definitions` to an element, defaults included. */
export function appliedArguments(
  element: Annotated,
  definitions: readonly DirectiveDefinition[],
): Readonly<Record<string, unknown>>[] {
  return definitions.flatMap((definition) =>
    element.appliedDirectivesOf(definition).map((applied) => applied.arguments(true)),
  );
}
