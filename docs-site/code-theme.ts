import { createCssVariablesTheme, type ShikiTransformer } from 'shiki';

/** Colours of code as variables, which the style sheet sets for light and dark. */
export const codeTheme = createCssVariablesTheme({ name: 'trellis', variablePrefix: '--code-' });

/** Classes instead of styles: the policy of the site allows no style in an element. */
export const withClasses: ShikiTransformer = {
  name: 'classes',
  pre(node) {
    delete node.properties['style'];
  },
  span(node) {
    const [, token] = /--code-token-([a-z-]+)/.exec(String(node.properties['style'])) ?? [];
    delete node.properties['style'];
    if (token !== undefined) node.properties['class'] = `token-${token}`;
  },
};
