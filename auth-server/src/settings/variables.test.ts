import type { Variable } from '@trellis/runtime';
import { describe, expect, it } from 'vitest';
import { variables } from './variables.ts';

const table: Readonly<Record<string, Variable>> = variables;
const numbers = Object.entries(table).flatMap(([name, variable]) =>
  variable.type === 'int' ? [{ name, ...variable }] : [],
);

describe('The variables of the auth-server', () => {
  it.each(numbers)(
    '$name has a default within its bounds, and the unit that its name promises',
    (variable) => {
      const { name, min, max, default: value, unit } = variable;
      expect(value).toBeGreaterThanOrEqual(min);
      expect(value).toBeLessThanOrEqual(max);
      expect(unit === 'seconds').toBe(name.endsWith('_S'));
      expect(unit === 'bytes').toBe(name.endsWith('_BYTES'));
      expect(unit === undefined).toBe(name === 'PORT');
    },
  );

  it('are each explained by sentences that do not say again what stands beside them', () => {
    for (const [name, { doc }] of Object.entries(table)) {
      expect(doc, name).toMatch(/^[\p{L}\d][^]*\.$/u);
      expect(doc, name).not.toMatch(/\d+ to \d+|, seconds\./);
    }
  });
});
