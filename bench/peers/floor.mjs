// What the same responses cost when written by hand for these queries alone: node:http, undici, no GraphQL at all.
// Argument 1 is not used; 2: the port; 3: the subgraphs as JSON, name → URL.
import { createServer } from 'node:http';
import process from 'node:process';
import { Pool } from 'undici';

const [, port, subgraphs] = process.argv.slice(2);
const pools = Object.fromEntries(
  Object.entries(JSON.parse(subgraphs)).map(([name, url]) => [
    name,
    { pool: new Pool(new URL(url).origin, { connections: 64 }), path: new URL(url).pathname },
  ]),
);

async function call(name, authorization, query, variables) {
  const { pool, path } = pools[name];
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  const response = await pool.request({
    method: 'POST',
    path,
    headers,
    body: JSON.stringify({ query, variables }),
  });
  return JSON.parse(await response.body.text()).data;
}

const entities = (typename, key, values) => ({
  r: values.map((value) => ({ __typename: typename, [key]: value })),
});
const REVIEWS_OF_USER =
  'reviews{id body product{upc reviews{id body author{id username reviews{id body product{upc}}}}}}';
const REVIEWS_OF_PRODUCT = 'reviews{id body author{id username reviews{id body product{upc}}}}';

async function nested(authorization) {
  const [{ users }, { topProducts }] = await Promise.all([
    call('accounts', authorization, '{users{id username name}}'),
    call('products', authorization, '{topProducts{upc name price weight}}'),
  ]);
  const [ofUsers, ofProducts] = await Promise.all([
    call(
      'reviews',
      authorization,
      `query($r:[_Any!]!){_entities(representations:$r){...on User{${REVIEWS_OF_USER}}}}`,
      entities(
        'User',
        'id',
        users.map(({ id }) => id),
      ),
    ),
    call(
      'reviews',
      authorization,
      `query($r:[_Any!]!){_entities(representations:$r){...on Product{${REVIEWS_OF_PRODUCT}}}}`,
      entities(
        'Product',
        'upc',
        topProducts.map(({ upc }) => upc),
      ),
    ),
  ]);
  users.forEach((user, index) => (user.reviews = ofUsers._entities[index].reviews));
  topProducts.forEach((product, index) => (product.reviews = ofProducts._entities[index].reviews));
  const seen = { products: [...topProducts], authors: [] };
  users.forEach(({ reviews }) => reviews.forEach((review) => collectReview(review, seen)));
  topProducts.forEach(({ reviews }) => reviews.forEach((review) => collectReview(review, seen)));
  const upcs = [...new Set(seen.products.map(({ upc }) => upc))];
  const ids = [...new Set(seen.authors.map(({ id }) => id))];
  const [facts, names] = await Promise.all([
    call(
      'products',
      authorization,
      'query($r:[_Any!]!){_entities(representations:$r){...on Product{name price weight}}}',
      entities('Product', 'upc', upcs),
    ),
    call(
      'accounts',
      authorization,
      'query($r:[_Any!]!){_entities(representations:$r){...on User{name}}}',
      entities('User', 'id', ids),
    ),
  ]);
  const stock = await call(
    'inventory',
    authorization,
    'query($r:[_Any!]!){_entities(representations:$r){...on Product{inStock shippingEstimate}}}',
    {
      r: upcs.map((upc, index) => ({
        __typename: 'Product',
        upc,
        price: facts._entities[index].price,
        weight: facts._entities[index].weight,
      })),
    },
  );
  const productOf = new Map(
    upcs.map((upc, index) => [upc, { ...facts._entities[index], ...stock._entities[index] }]),
  );
  const nameOf = new Map(ids.map((id, index) => [id, names._entities[index].name]));
  return {
    users: users.map((user) => shapeUser(user, productOf, nameOf)),
    topProducts: topProducts.map((product) => shapeProduct(product, productOf, nameOf)),
  };
}

function collectReview(review, seen) {
  if (review.author) {
    seen.authors.push(review.author);
    review.author.reviews?.forEach((inner) => collectReview(inner, seen));
  }
  if (review.product) {
    seen.products.push(review.product);
    review.product.reviews?.forEach((inner) => collectReview(inner, seen));
  }
}

function shapeUser(user, productOf, nameOf) {
  const shaped = { id: user.id, username: user.username, name: user.name ?? nameOf.get(user.id) };
  if (user.reviews) shaped.reviews = user.reviews.map((review) => shapeReview(review, productOf, nameOf));
  return shaped;
}

function shapeReview(review, productOf, nameOf) {
  const shaped = { id: review.id, body: review.body };
  if (review.product) shaped.product = shapeProduct(review.product, productOf, nameOf);
  if (review.author) shaped.author = shapeUser(review.author, productOf, nameOf);
  return shaped;
}

function shapeProduct(product, productOf, nameOf) {
  const { inStock, name, price, shippingEstimate, weight } = productOf.get(product.upc);
  const shaped = { inStock, name, price, shippingEstimate, upc: product.upc, weight };
  if (product.reviews)
    shaped.reviews = product.reviews.map((review) => shapeReview(review, productOf, nameOf));
  return shaped;
}

async function threeHops(authorization, { id }) {
  const { user } = await call('accounts', authorization, 'query($id:ID!){user(id:$id){id name}}', { id });
  const of = await call(
    'reviews',
    authorization,
    'query($r:[_Any!]!){_entities(representations:$r){...on User{reviews{body product{upc}}}}}',
    entities('User', 'id', [user.id]),
  );
  const { reviews } = of._entities[0];
  const upcs = [...new Set(reviews.map(({ product }) => product.upc))];
  const facts = await call(
    'products',
    authorization,
    'query($r:[_Any!]!){_entities(representations:$r){...on Product{name price}}}',
    entities('Product', 'upc', upcs),
  );
  const productOf = new Map(upcs.map((upc, index) => [upc, facts._entities[index]]));
  return {
    user: {
      name: user.name,
      reviews: reviews.map(({ body, product }) => ({
        body,
        product: { name: productOf.get(product.upc).name, price: productOf.get(product.upc).price },
      })),
    },
  };
}

const resolvers = {
  Nested: nested,
  ThreeHops: threeHops,
  Single: (authorization) => call('accounts', authorization, '{me{id name}}'),
  Catalogue: (authorization) => call('products', authorization, '{catalogue{upc name price weight}}'),
};

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { operationName, variables } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const data = await resolvers[operationName](request.headers.authorization, variables);
  const body = Buffer.from(JSON.stringify({ data }));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}).listen(Number(port), '127.0.0.1');
