import { badUserInput } from '@trellis/subgraph-protocol';
import { createId, readText, timeOfId } from '@trellis/subgraph-kit';
import type { CreateUserInput } from './generated/resolver-types.ts';
import type { Profile } from './profile.ts';

const MAX_NAME_LENGTH = 100;
const MAX_EMAIL_LENGTH = 254;

/** One @ with something before it and a domain after it. Only a message that arrives proves more. */
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/;

/**
 * Reads what a new user is made of.
 *
 * @throws GraphQLError BAD_USER_INPUT naming the first field that is not acceptable
 */
export function readNewProfile(input: CreateUserInput): Profile {
  const id = createId();
  return {
    id,
    name: readText('input.name', input.name, { maxLength: MAX_NAME_LENGTH }),
    email: readEmail(input.email),
    role: input.role ?? 'VIEWER',
    createdAt: timeOfId(id),
  };
}

function readEmail(email: string | null | undefined): string | null {
  if (email === null || email === undefined) return null;
  const text = readText('input.email', email, { maxLength: MAX_EMAIL_LENGTH });
  if (EMAIL.test(text)) return text;
  throw badUserInput('"input.email" must be an e-mail address.', 'input.email', email);
}
