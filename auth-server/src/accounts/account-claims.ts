import { z } from 'zod';

const text = z.string().min(1).max(500);
const webAddress = z.url({ protocol: /^https?$/, error: 'must be a web address' }).max(2_000);

/** Standard claims that an account may carry beside name and e-mail address. OpenID Connect Core §5.1 */
const schema = z.strictObject({
  family_name: text.optional(),
  given_name: text.optional(),
  middle_name: text.optional(),
  nickname: text.optional(),
  preferred_username: text.optional(),
  profile: webAddress.optional(),
  picture: webAddress.optional(),
  website: webAddress.optional(),
  gender: text.optional(),
  birthdate: z
    .string()
    .regex(/^\d{4}(-\d{2}-\d{2})?$/, { error: 'must be YYYY or YYYY-MM-DD' })
    .optional(),
  zoneinfo: text.optional(),
  locale: text.optional(),
  address: z
    .strictObject({
      formatted: text.optional(),
      street_address: text.optional(),
      locality: text.optional(),
      region: text.optional(),
      postal_code: text.optional(),
      country: text.optional(),
    })
    .optional(),
  phone_number: z
    .string()
    .regex(/^\+[1-9][\d ()-]{3,30}$/, { error: 'must begin with + and the country code' })
    .optional(),
  phone_number_verified: z.boolean().optional(),
});

/** Claims that were checked, or all that is wrong with them, a sentence each. */
export type ParsedClaims =
  | { readonly kind: 'claims'; readonly claims: Readonly<Record<string, unknown>> }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Reads the further claims of an account. */
export function parseAccountClaims(value: unknown): ParsedClaims {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'claims', claims: parsed.data };
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'claims'}: ${message}`,
  );
  return { kind: 'problems', problems };
}
