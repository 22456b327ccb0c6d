import { createRandom } from '@trellis/demo-data';
import { describe, expect, it } from 'vitest';
import { IndexedHeap } from './indexed-heap.ts';

interface Item {
  rank: number;
  readonly id: number;
}

const precedes = (left: Item, right: Item): boolean =>
  left.rank === right.rank ? left.id < right.id : left.rank < right.rank;

describe('A heap with places', () => {
  it('has the same first item as a sorted list, whatever is taken in, moved and taken out', () => {
    const random = createRandom(1);
    const heap = new IndexedHeap<Item>(precedes);
    const model = new Set<Item>();
    for (let id = 0; id < 4_000; id += 1) {
      const known = model.size > 0 ? random.pick([...model].slice(0, 50)) : undefined;
      if (known && random.chance(0.3)) {
        heap.delete(known);
        model.delete(known);
      } else {
        const item = known && random.chance(0.5) ? known : { id, rank: 0 };
        item.rank = random.below(100);
        heap.place(item);
        model.add(item);
      }
      if (random.chance(0.1)) heap.delete({ id: -1, rank: 0 });
      expect(heap.size).toBe(model.size);
      if (id % 10 === 0) expect(heap.first).toBe(firstOf(model));
    }
    while (model.size > 0) {
      const first = firstOf(model);
      expect(heap.first).toBe(first);
      if (!first) break;
      heap.delete(first);
      model.delete(first);
    }
    expect(heap.first).toBeUndefined();
  });
});

function firstOf(items: ReadonlySet<Item>): Item | undefined {
  let first: Item | undefined;
  for (const item of items) if (!first || precedes(item, first)) first = item;
  return first;
}
