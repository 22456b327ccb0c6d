import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kind, parse, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import { repository } from '../programs/run-program.ts';

/** How a service knows what a representation says of another service's state: its owner is asked, or has signed it. */
type Ground = { readonly askedFor: string } | { readonly signedBy: string };

/** With the test that shows it. */
const grounds: Readonly<Record<string, Ground & { readonly test: string; readonly file: string }>> = {
  'comments: Post.published': {
    askedFor: 'the posts that are known from events, else the posts service',
    file: 'services/comments/src/comments.test.ts',
    test: 'L7: that references call published',
  },
};

/** `service: Type.field` of each field that a service's schema takes from a representation. */
function externalFields(): readonly string[] {
  return readdirSync(join(repository, 'services')).flatMap((service) => {
    const sources = join(repository, 'services', service, 'src');
    const schemas = readdirSync(sources, { recursive: true, encoding: 'utf8' });
    return schemas
      .filter((file) => file.endsWith('schema.graphql'))
      .flatMap((file) => externalFieldsIn(readFileSync(join(sources, file), 'utf8')))
      .map((field) => `${service}: ${field}`);
  });
}

function externalFieldsIn(sdl: string): readonly string[] {
  const fields: string[] = [];
  visit(parse(sdl), {
    FieldDefinition(node, _key, _parent, _path, ancestors) {
      const type = ancestors.findLast((ancestor) => 'kind' in ancestor);
      const isExternal = node.directives?.some(({ name }) => name.value === 'external');
      if (isExternal && type && 'name' in type && type.name?.kind === Kind.NAME)
        fields.push(`${type.name.value}.${node.name.value}`);
    },
  });
  return fields;
}

describe('L7: what a representation claims of the state of another service', () => {
  it('is asked for, or signed by its owner: for each external field of a service it is said which', () => {
    expect(externalFields()).toEqual(Object.keys(grounds));
  });

  it.each(Object.entries(grounds))('%s: a test shows it', (_field, { file, test }) => {
    expect(readFileSync(join(repository, file), 'utf8')).toContain(`'${test}'`);
  });
});
