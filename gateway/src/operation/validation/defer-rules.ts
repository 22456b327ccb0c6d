import { GraphQLError, Kind, type ValidationRule } from 'graphql';

/**
 * A label names one `@defer` of a document: it is a text, not a variable, and no other has it.
 *
 * @see incremental delivery in the GraphQL specification's working draft, "Defer And Stream Directive Labels Are Unique"
 */
export const DeferLabelsRule: ValidationRule = (context) => {
  const known = new Set<string>();
  return {
    Directive(node) {
      const label = node.arguments?.find(({ name }) => name.value === 'label')?.value;
      if (node.name.value !== 'defer' || !label) return;
      if (label.kind !== Kind.STRING) {
        context.reportError(new GraphQLError('The label of a @defer has to be a text.', { nodes: node }));
      } else if (known.has(label.value)) {
        context.reportError(
          new GraphQLError(`There is more than one @defer with the label "${label.value}".`, { nodes: node }),
        );
      } else known.add(label.value);
    },
  };
};

/**
 * Fields that change something run in their order, and the field of a subscription begins it: neither is deferred.
 *
 * @see incremental delivery in the GraphQL specification's working draft, "Defer And Stream Directives Are Used On Valid Root Field"
 */
export const DeferRootRule: ValidationRule = (context) => ({
  Directive(node) {
    if (node.name.value !== 'defer') return;
    const schema = context.getSchema();
    const parent = context.getParentType();
    if (!parent || (parent !== schema.getMutationType() && parent !== schema.getSubscriptionType())) return;
    context.reportError(
      new GraphQLError(`Fields of ${parent.name} can't be deferred; defer what they return.`, {
        nodes: node,
      }),
    );
  },
});
