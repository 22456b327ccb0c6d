/** A user of the measured graph. */
export interface UserRecord {
  readonly id: string;
  readonly name: string;
  readonly username: string;
}

/** A product of the measured graph. */
export interface ProductRecord {
  readonly upc: string;
  readonly name: string;
  readonly price: number;
  readonly weight: number;
  readonly inStock: boolean;
}

/** A review of the measured graph. */
export interface ReviewRecord {
  readonly id: string;
  readonly body: string;
  readonly authorId: string;
  readonly productUpc: string;
}

const NAMES = ['Uri Vale', 'Dotan Reed', 'Kamil Oak', 'Laurin Ash', 'Saihaj Elm', 'Denis Fir'];
const GOODS = ['Table', 'Couch', 'Glass', 'Chair', 'Television', 'Lamp', 'Basket', 'Grill', 'Fan'];

/** Six users. */
export const users: readonly UserRecord[] = NAMES.map((name, index) => ({
  id: String(index + 1),
  name,
  username: name.toLowerCase().replace(' ', '.'),
}));

/** Nine products. */
export const products: readonly ProductRecord[] = GOODS.map((name, index) => ({
  upc: String(index + 1),
  name,
  price: 899 + index * 133,
  weight: 100 + index * 50,
  inStock: index % 3 !== 1,
}));

const OPINIONS = [
  'Love it! We have had it for a year, and use it every single day since.',
  'Too expensive. For half of its price I would have recommended it.',
  'Could be better. It came late, and one of its corners was scratched.',
  'Prefer something else. It is not bad, but it does not fit into our room.',
];

/**
 * Eleven reviews of three products, all by users 1 and 2: with them the nested query stands for 472 objects in 87 KB, about
 * as in the query that gateways are usually compared with.
 */
export const reviews: readonly ReviewRecord[] = Array.from({ length: 11 }, (_, index) => ({
  id: String(index + 1),
  body: OPINIONS[index % OPINIONS.length] as string,
  authorId: index < 9 ? '1' : '2',
  productUpc: String((index % 3) + 1),
}));

/** A list of about one megabyte. */
export const catalogue: readonly ProductRecord[] = Array.from({ length: 9_500 }, (_, index) => ({
  upc: `item-${index}`,
  name: `Item number ${index} of the catalogue`,
  price: 100 + ((index * 7919) % 9_000),
  weight: 10 + ((index * 104_729) % 900),
  inStock: index % 5 !== 0,
}));
