/** An operation of the benchmark. By its name the hand-written floor chooses the response. */
export interface Operation {
  readonly operationName: string;
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The query that gateways are usually compared with: users, their reviews, the products, and round again. */
export const nested: Operation = {
  operationName: 'Nested',
  query: `
    fragment User on User { id username name }
    fragment Review on Review { id body }
    fragment Product on Product { inStock name price shippingEstimate upc weight }
    query Nested {
      users { ...User reviews { ...Review product { ...Product reviews { ...Review author { ...User reviews { ...Review product { ...Product } } } } } } }
      topProducts { ...Product reviews { ...Review author { ...User reviews { ...Review product { ...Product } } } } }
    }`,
};

/** accounts → reviews → products. */
export const threeHops: Operation = {
  operationName: 'ThreeHops',
  query: 'query ThreeHops($id: ID!) { user(id: $id) { name reviews { body product { name price } } } }',
  variables: { id: '1' },
};

/** One small fetch. */
export const single: Operation = { operationName: 'Single', query: 'query Single { me { id name } }' };

/** One fetch of about a megabyte. */
export const catalogue: Operation = {
  operationName: 'Catalogue',
  query: 'query Catalogue { catalogue { upc name price weight } }',
};

/** The query that gateways are usually compared with, from the reviews on in a second part. */
export const deferred: Operation = {
  operationName: 'Deferred',
  query: 'query Deferred { topProducts { upc name ... @defer { reviews { id body author { id name } } } } }',
};

/** What the parts of {@link deferred} add up to. */
export const deferredWhole: Operation = {
  operationName: 'Deferred',
  query: 'query Deferred { topProducts { upc name reviews { id body author { id name } } } }',
};

/** A thousand operations of which no two have the same text. */
export const distinct: readonly Operation[] = Array.from({ length: 1_000 }, (_, index) =>
  newOperation(index),
);

/** An operation whose text is another one for each number. */
export function newOperation(number: number): Operation {
  return {
    operationName: 'ThreeHops',
    query: `query ThreeHops($id: ID!) { user(id: $id) { n${number}: name reviews { b${number % 37}: body product { name price } } } }`,
    variables: { id: '1' },
  };
}
