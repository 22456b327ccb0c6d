import { characterProblem } from '@trellis/runtime/admission';
import { isRole, roles, type Role } from './accounts.ts';

const MAX_EMAIL_LENGTH = 320;
const MAX_NAME_LENGTH = 200;

/** Letters of all scripts, and the signs that need no quotes. Quoted names and comments are rejected. RFC 5321 §4.1.2, RFC 6531 */
const ADDRESS = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~.-]+@[\p{L}\p{N}\p{M}.-]+$/u;

/** Why a text can't be an e-mail address, or undefined. */
export function emailProblem(email: string): string | undefined {
  const isFit = characterProblem(email, 'line') === undefined && email.length <= MAX_EMAIL_LENGTH;
  const isPossible = isFit && ADDRESS.test(email);
  return isPossible ? undefined : `${email} is no address`;
}

/** Why a text can't be a user's name, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'is needed';
  if (name.length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  return characterProblem(name, 'line');
}

/** Why a text can't be a role, or undefined. */
export function roleProblem(role: string): string | undefined {
  return isRole(role) ? undefined : `must be ${roles.join(', ')}`;
}

/** The role that a text names. @throws TypeError when it names none */
export function toRole(text: string): Role {
  if (!isRole(text)) throw new TypeError(`There is no role ${text}.`);
  return text;
}
