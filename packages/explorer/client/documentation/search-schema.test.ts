import { buildASTSchema } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { searchSchema } from './search-schema.ts';

const schema = buildASTSchema(gql`
  type Query {
    posts: [Post!]!
    me: User
  }
  "Who writes posts."
  type User {
    name: String!
  }
  type Post {
    title: String!
    author: User!
    kind: Kind
  }
  enum Kind {
    POST
    PAGE
  }
`);

function found(text: string): readonly string[] {
  return searchSchema(schema, text).map(({ type, field }) =>
    field === undefined ? type : `${type}.${field}`,
  );
}

describe('The search of the documentation', () => {
  it('finds what begins so, then what contains it, then what speaks of it', () => {
    expect(found('post')).toEqual(
      ['Kind.POST', 'Post', 'Query.posts', 'Post.author', 'Post.kind', 'Post.title', 'User'].toSorted(
        (a, b) => order(a) - order(b),
      ),
    );
  });

  it('finds nothing for nothing, and no type of introspection', () => {
    expect(found('  ')).toEqual([]);
    expect(found('__type')).toEqual([]);
    expect(found('absent')).toEqual([]);
  });
});

function order(place: string): number {
  return ['Kind.POST', 'Post', 'Query.posts', 'Post.title', 'Post.author', 'Post.kind', 'User'].indexOf(
    place,
  );
}
