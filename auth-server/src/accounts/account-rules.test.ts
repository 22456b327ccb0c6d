import { expect, it } from 'vitest';
import { emailProblem } from './account-rules.ts';

it.each([
  'ada@example.com',
  "o'brien+news@mail.example.co.uk",
  'jörg@müller.example',
  '用户@例子.广告',
  'a_b.c-d@xn--mller-kva.example',
])('L6: %s may be an e-mail address', (email) => {
  expect(emailProblem(email)).toBeUndefined();
});

it.each([
  'a<evil@x.example>',
  'a\u0001@b.example',
  'a\u202e@b.example',
  'a@b@c.example',
  '"a b"@c.example',
  'a,b@c.example',
  'a@c.example, b@c.example',
  'a@',
  '@b.example',
  'ada',
])('L6: %s may not', (email) => {
  expect(emailProblem(email)).toBeDefined();
});
