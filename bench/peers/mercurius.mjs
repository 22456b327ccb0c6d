// Mercurius' gateway over the subgraphs themselves, with their schemas as Federation 1 spells them: it knows no other.
// Argument 1 is not used; 2: the port; 3: the subgraphs as JSON, name → URL.
import process from 'node:process';
import Fastify from 'fastify';
import gateway from '@mercuriusjs/gateway';

const [, port, subgraphs] = process.argv.slice(2);
const schemas = {
  accounts: `
    extend type Query { me: User user(id: ID!): User users: [User] }
    type User @key(fields: "id") { id: ID! name: String username: String }`,
  inventory: `
    extend type Product @key(fields: "upc") {
      upc: String! @external
      weight: Int @external
      price: Int @external
      inStock: Boolean
      shippingEstimate: Int @requires(fields: "price weight")
    }`,
  products: `
    extend type Query { topProducts(first: Int = 5): [Product] catalogue: [Product] }
    type Product @key(fields: "upc") { upc: String! name: String price: Int weight: Int }`,
  reviews: `
    type Review @key(fields: "id") { id: ID! body: String author: User @provides(fields: "username") product: Product }
    extend type User @key(fields: "id") {
      id: ID! @external
      username: String @external
      numberOfReviews: Int
      reviews: [Review]
    }
    extend type Product @key(fields: "upc") { upc: String! @external reviews: [Review] }`,
};
const app = Fastify();
await app.register(gateway, {
  gateway: {
    services: Object.entries(JSON.parse(subgraphs)).map(([name, url]) => ({
      name,
      url,
      schema: schemas[name],
      rewriteHeaders: (headers) => (headers.authorization ? { authorization: headers.authorization } : {}),
    })),
  },
});
await app.listen({ port: Number(port), host: '127.0.0.1' });
